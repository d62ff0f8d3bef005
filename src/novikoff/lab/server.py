"""The lab's routes, and its manners: it listens to this machine alone, and to no page but its own.

Every answer is JSON or a file of `page/`; everything that is wrong is one sentence, {"error": …}.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from novikoff import __version__
from novikoff.lab.presets import presets
from novikoff.lab.problems import (
    BYTES,
    LARGEST,
    POINTS,
    RANGES,
    RULES,
    RefusedError,
    number,
    problem_of,
    require_only,
    whole,
)
from novikoff.lab.runs import orders_of, rescaled_of, run_of
from novikoff.lab.tables import points_of

PAGE = Path(__file__).parent / "page"
FARTHEST = 10 * LARGEST  # that is looked at
WIDEST_GRID = 120  # points along either side
MOST_RUNS = 100  # in other orders
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
OWN_MISTAKE = "this is a mistake of the lab's own, please report it with what you did"

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def make_app() -> FastAPI:
    """The lab as an ASGI application."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(HTTPException, _http_error)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _own_mistake)
    app.add_middleware(Manners)

    @app.get("/api/presets")
    def _presets() -> Response:
        limits = {"points": POINTS, "bytes": BYTES, "settings": RANGES}
        return _answer({"presets": presets(), "limits": limits, "version": __version__})

    for name, answer in ANSWERS.items():
        app.post(f"/api/{name}")(_route(answer))
    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return app


# ---- what is asked --------------------------------------------------------------------------------------------------


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


# ---- how it is asked and answered -----------------------------------------------------------------------------------

_one_at_a_time = Lock()  # two at once would only be slower, and compute the same twice


def _route(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    def answered(asked: dict[str, Any]) -> Response:
        with _one_at_a_time, np.errstate(all="ignore"):  # what is not finite is told as null
            return _answer(answer(asked))

    async def route(request: Request) -> Response:
        try:
            return await run_in_threadpool(answered, _parsed(await _body(request)))
        except RefusedError as refused:
            return _error(422, str(refused))
        except OverflowError:
            return _error(422, "the numbers that come of these points are too large for doubles: scale the points")

    return route


async def _body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "the body must be JSON: send it with the content-type application/json")
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > BYTES:
            raise HTTPException(413, f"the request has more than {BYTES:,} bytes: put down fewer points")
    return bytes(content)


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):  # of more digits or depth than Python reads, too
        raise RefusedError("the body is not JSON that can be read: send one object") from None
    if not isinstance(asked, dict):
        raise RefusedError('the body must be a JSON object, {"points": …, "settings": …}')
    return asked


def _answer(told: dict[str, Any]) -> Response:
    content = json.dumps(told, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return Response(content.encode("utf-8", "replace"), media_type="application/json")


def _error(status: int, sentence: str) -> Response:
    response = _answer({"error": sentence})
    response.status_code = status
    return response


async def _http_error(request: Request, error: HTTPException) -> Response:
    if error.status_code == 404:
        return _error(404, "there is nothing at this address: the lab is at /")
    if error.status_code == 405:
        return _error(405, f"{request.method} is not how this address is asked")
    return _error(error.status_code, error.detail)


async def _own_mistake(request: Request, error: Exception) -> Response:
    return _error(500, OWN_MISTAKE)


class Manners:
    """Whoever comes by another name, or from another page, is sent away: a site that you visit cannot ask the lab anything."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        why = _unwanted(scope)
        await (self.app if why is None else _error(403, why))(scope, receive, send_with_headers)


def _unwanted(scope: Scope) -> str | None:
    """Why this request is not answered, if it is not."""
    headers, port = Headers(scope=scope), scope["server"][1]
    names = [name + end for name in ("127.0.0.1", "localhost") for end in ("", f":{port}")]
    if headers.get("host") not in names:
        return f"the lab is at http://127.0.0.1:{port}/ and answers to no other name: open it there"
    if scope["method"] in ("GET", "HEAD"):
        return None
    origin = headers.get("origin")
    own = [f"http://{name}" for name in (names if port == 80 else names[1::2])]
    if (origin is not None and origin not in own) or headers.get("sec-fetch-site") == "cross-site":
        return "another page asked, and the lab answers only its own: open it in a tab of its own"
    return None


def warm_up() -> None:
    """Have everything loaded and compiled that the first question needs."""
    for rule in RULES:
        run = run_of(problem_of({"points": presets()[0]["points"], "settings": {"rule": rule}}))
        run.told()
        run.boundary(run.handled, [0.0, 1.0, 0.0, 1.0], 2, 2)
