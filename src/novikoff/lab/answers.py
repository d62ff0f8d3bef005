"""Requests to the lab and their answers, as JSON. As a program, it answers the requests that `workers` sends, one at a time."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from threading import Thread
from typing import IO

import numpy as np

from novikoff.lab.checks import RefusedError, number, require_only, whole
from novikoff.lab.descriptions import Json, describe_boundaries, describe_example, describe_run
from novikoff.lab.orders import compare_orders
from novikoff.lab.presets import presets
from novikoff.lab.problems import LARGEST, Problem, problem_of
from novikoff.lab.runs import run_of
from novikoff.lab.schema import RULE
from novikoff.lab.stretching import stretch
from novikoff.lab.tables import points_of
from novikoff.lab.workers import OWN_MISTAKE, receive, send

FARTHEST = 10 * LARGEST  # coordinate in a view
WIDEST_GRID = 120  # points along either side
MOST_RUNS = 100  # in other orders

Request = Mapping[str, object]


def _run(request: Request) -> Json:
    return describe_run(run_of(_problem(request)))


def _look(request: Request) -> Json:
    run = run_of(_problem(request, "t"))
    return describe_example(run, whole("t", request.get("t"), 0, run.handled - 1))


def _boundary(request: Request) -> Json:
    run = run_of(_problem(request, "t", "view", "columns", "rows"))
    view = request.get("view")
    if not isinstance(view, list) or len(view) != 4:
        raise RefusedError('"view" must be [x1min, x1max, x2min, x2max], four numbers')
    columns, rows = (whole(name, request.get(name), 2, WIDEST_GRID) for name in ("columns", "rows"))
    t = whole("t", request.get("t"), 0, run.handled)
    return describe_boundaries(run, t, [number("view", end, -FARTHEST, FARTHEST) for end in view], columns, rows)


def _orders(request: Request) -> Json:
    return compare_orders(_problem(request, "runs"), whole("runs", request.get("runs"), 1, MOST_RUNS))


def _rescale(request: Request) -> Json:
    return stretch(_problem(request))


def _csv(request: Request) -> Json:
    require_only("field", request, ("text",))
    return points_of(request.get("text"))


def _problem(request: Request, *more_fields: str) -> Problem:
    """The problem of a request that may have these fields beside it, and no others."""
    require_only("field", request, ("points", "settings", *more_fields))
    return problem_of(request)


ANSWERS: dict[str, Callable[[Request], Json]] = {
    "run": _run,
    "look": _look,
    "boundary": _boundary,
    "orders": _orders,
    "rescale": _rescale,
    "csv": _csv,
}


def answered(name: str, body: bytes) -> tuple[int, bytes]:
    """The status and the content of the answer."""
    try:
        with np.errstate(all="ignore"):  # numbers that are not finite become null
            return 200, as_json(ANSWERS[name](_parsed(body)))
    except RefusedError as refused:
        return 422, as_json({"error": str(refused)})
    except OverflowError:
        return 422, as_json({"error": "the numbers computed from these points are too large for doubles: scale the points"})
    except Exception:
        return 500, as_json({"error": OWN_MISTAKE})


def as_json(answer: Json) -> bytes:
    text = json.dumps(answer, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _parsed(body: bytes) -> Request:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):  # RecursionError: nested deeper than Python reads
        raise RefusedError("the body is not JSON that can be read: send one object") from None
    if not isinstance(request, dict):
        raise RefusedError('the body must be a JSON object, {"points": …, "settings": …}')
    return request


# ---- as a program ---------------------------------------------------------------------------------------------------


def warm_up() -> None:
    """Load and compile everything that the first request needs."""
    for rule in RULE.choices:
        run = run_of(problem_of({"points": presets()[0].points, "settings": {"rule": rule}}))
        describe_run(run)
        describe_boundaries(run, run.handled, [0.0, 1.0, 0.0, 1.0], 2, 2)


def main() -> None:
    """Answer until the server is gone."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # so that nothing a library prints gets between the answers
    requests: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    warm_up()
    send(out, "ready")
    while True:
        status, content = answered(*requests.get())
        send(out, str(status), content)


def _listen(file: IO[bytes], requests: SimpleQueue[tuple[str, bytes]]) -> None:
    """Queue the requests as they come. When the server is gone, end the process, even in the middle of an answer."""
    while (request := receive(file)) is not None:
        requests.put(request)
    os._exit(0)


if __name__ == "__main__":
    main()
