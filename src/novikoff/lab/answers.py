"""What is asked of the lab, and the answers, as JSON. As a program, it answers what `workers` ask, one question at a time."""

import json
import os
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import IO, Any

import numpy as np

from novikoff.lab.presets import presets
from novikoff.lab.problems import LARGEST, RULES, RefusedError, number, problem_of, require_only, whole
from novikoff.lab.runs import orders_of, rescaled_of, run_of
from novikoff.lab.tables import points_of
from novikoff.lab.workers import OWN_MISTAKE, told, was_told

FARTHEST = 10 * LARGEST  # that is looked at
WIDEST_GRID = 120  # points along either side
MOST_RUNS = 100  # in other orders

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def _run(asked: dict[str, Any]) -> dict[str, Any]:
    return run_of(problem_of(_of_problem(asked))).told()


def _look(asked: dict[str, Any]) -> dict[str, Any]:
    run = run_of(problem_of(_of_problem(asked, "t")))
    return run.look(whole("t", asked.get("t"), 0, run.handled - 1))


def _boundary(asked: dict[str, Any]) -> dict[str, Any]:
    run = run_of(problem_of(_of_problem(asked, "t", "view", "columns", "rows")))
    view = asked.get("view")
    if not isinstance(view, list) or len(view) != 4:
        raise RefusedError('"view" must be [x1min, x1max, x2min, x2max], four numbers')
    columns, rows = (whole(name, asked.get(name), 2, WIDEST_GRID) for name in ("columns", "rows"))
    return run.boundary(
        whole("t", asked.get("t"), 0, run.handled), [number("view", end, -FARTHEST, FARTHEST) for end in view], columns, rows
    )


def _orders(asked: dict[str, Any]) -> dict[str, Any]:
    return orders_of(problem_of(_of_problem(asked, "runs")), whole("runs", asked.get("runs"), 1, MOST_RUNS))


def _rescale(asked: dict[str, Any]) -> dict[str, Any]:
    return rescaled_of(problem_of(_of_problem(asked)))


def _csv(asked: dict[str, Any]) -> dict[str, Any]:
    require_only("field", asked, ("text",))
    return points_of(asked.get("text"))


def _of_problem(asked: dict[str, Any], *others: str) -> dict[str, Any]:
    """The same, where it has no fields but those of a problem and these."""
    require_only("field", asked, ("points", "settings", *others))
    return asked


ANSWERS: dict[str, Answer] = {
    "run": _run,
    "look": _look,
    "boundary": _boundary,
    "orders": _orders,
    "rescale": _rescale,
    "csv": _csv,
}


def answered(name: str, body: bytes) -> tuple[int, bytes]:
    """The status and the content of the answer to this question."""
    try:
        with np.errstate(all="ignore"):  # what is not finite is told as null
            return 200, as_json(ANSWERS[name](_parsed(body)))
    except RefusedError as refused:
        return 422, as_json({"error": str(refused)})
    except OverflowError:
        return 422, as_json({"error": "the numbers that come of these points are too large for doubles: scale the points"})
    except Exception:
        return 500, as_json({"error": OWN_MISTAKE})


def as_json(answer: dict[str, Any]) -> bytes:
    text = json.dumps(answer, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):  # of more digits or depth than Python reads, too
        raise RefusedError("the body is not JSON that can be read: send one object") from None
    if not isinstance(asked, dict):
        raise RefusedError('the body must be a JSON object, {"points": …, "settings": …}')
    return asked


# ---- as a program ---------------------------------------------------------------------------------------------------


def warm_up() -> None:
    """Have everything loaded and compiled that the first question needs."""
    for rule in RULES:
        run = run_of(problem_of({"points": presets()[0]["points"], "settings": {"rule": rule}}))
        run.told()
        run.boundary(run.handled, [0.0, 1.0, 0.0, 1.0], 2, 2)


def main() -> None:
    """Answer until nobody asks any more."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    questions: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, questions), daemon=True).start()
    warm_up()
    told(out, "ready")
    while True:
        status, content = answered(*questions.get())
        told(out, str(status), content)


def _listen(file: IO[bytes], questions: SimpleQueue[tuple[str, bytes]]) -> None:
    """Put the questions down as they come. When the server is gone, there is nobody to go on for."""
    while (question := was_told(file)) is not None:
        questions.put(question)
    os._exit(0)


if __name__ == "__main__":
    main()
