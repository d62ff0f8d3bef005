"""The lab's routes, and its manners: it listens to this machine alone, and to no page but its own.

Every answer is JSON or a file of `page/`; everything that is wrong is one sentence, {"error": …}.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from novikoff import __version__
from novikoff.lab.presets import presets
from novikoff.lab.problems import BYTES, POINTS, RANGES
from novikoff.lab.workers import OWN_MISTAKE, TooLongError, Workers

PAGE = Path(__file__).parent / "page"
QUESTIONS = ("run", "look", "boundary", "orders", "rescale", "csv")
PATIENCE = 10.0  # seconds that a request may take to come
GONE = 499  # the status of an answer that nobody waits for
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def make_app(workers: Workers) -> FastAPI:
    """The lab as an ASGI application."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(HTTPException, _http_error)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _own_mistake)
    app.add_middleware(Manners)

    @app.get("/api/presets")
    def _presets() -> Response:
        limits = {"points": POINTS, "bytes": BYTES, "settings": RANGES}
        return _answer({"presets": presets(), "limits": limits, "version": __version__})

    for name in QUESTIONS:
        app.post(f"/api/{name}")(_route(name, workers))
    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return app


# ---- how it is asked and answered -----------------------------------------------------------------------------------


def _route(name: str, workers: Workers) -> Callable[[Request], Awaitable[Response]]:
    async def route(request: Request) -> Response:
        body = await _body(request)
        answering = asyncio.ensure_future(workers.answer(name, body))
        gone = asyncio.ensure_future(_gone(request))
        await asyncio.wait((answering, gone), return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if not answering.done():
            answering.cancel()
            with suppress(asyncio.CancelledError):
                await answering
            return Response(status_code=GONE)
        try:
            status, content = answering.result()
        except TooLongError as error:
            return _error(503, str(error))
        except EOFError:  # its process died
            return _error(500, OWN_MISTAKE)
        return Response(content, status, media_type="application/json")

    return route


async def _gone(request: Request) -> None:
    """Return when nobody waits for the answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "the body must be JSON: send it with the content-type application/json")
    content = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                content += chunk
                if len(content) > BYTES:
                    raise HTTPException(413, f"the request has more than {BYTES:,} bytes: put down fewer points")
    except TimeoutError:
        raise HTTPException(408, f"the request did not come within {PATIENCE:g} seconds: send it again") from None
    return bytes(content)


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


class Patient(H11Protocol):
    """uvicorn's connections, but whoever does not finish a request, or does not take the answer, is hung up on.

    uvicorn itself waits for the first request as long as it takes.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._last: Any = None  # the request that there was when we looked before
        self.loop.call_later(PATIENCE, self._look)

    def _look(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        if self.transport.is_closing() or (self.cycle is self._last and not answering):
            self.transport.abort()
            return
        self._last = self.cycle
        self.loop.call_later(PATIENCE, self._look)
