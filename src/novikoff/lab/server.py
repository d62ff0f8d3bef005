"""The routes of the lab. It answers only this machine, and only its own page.

Every answer is JSON or a file of `page/`; an error is one sentence, {"error": …}.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from novikoff import __version__
from novikoff.lab.answers import FARTHEST, as_json
from novikoff.lab.descriptions import Json
from novikoff.lab.presets import presets
from novikoff.lab.problems import BYTES, POINTS
from novikoff.lab.schema import READOUTS, schema
from novikoff.lab.workers import OWN_MISTAKE, TooLongError, Workers

PAGE = Path(__file__).parent / "page"
REQUESTS = ("run", "look", "boundary", "orders", "rescale", "csv")
PATIENCE = 10.0  # seconds that a client may take to send a request
GONE = 499  # the status of an answer whose client is gone
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
    app.add_middleware(OwnPageOnly)

    @app.get("/api/schema")
    def _schema() -> Response:
        return _answer(
            {
                "version": __version__,
                "settings": schema(),
                "readouts": READOUTS,
                "limits": {"points": POINTS, "bytes": BYTES, "view": FARTHEST},
                "presets": [preset.as_json() for preset in presets()],
            }
        )

    for name in REQUESTS:
        app.post(f"/api/{name}")(_route(name, workers))
    app.mount("/", StaticFiles(directory=PAGE, html=True))
    return app


# ---- requests and answers -----------------------------------------------------------------------------------


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
    """Return when the client has disconnected."""
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
                    raise HTTPException(413, f"the request has more than {BYTES:,} bytes: send fewer points")
    except TimeoutError:
        raise HTTPException(408, f"the request did not arrive within {PATIENCE:g} seconds: send it again") from None
    return bytes(content)


def _answer(answer: Json) -> Response:
    return Response(as_json(answer), media_type="application/json")


def _error(status: int, sentence: str) -> Response:
    response = _answer({"error": sentence})
    response.status_code = status
    return response


async def _http_error(request: Request, error: HTTPException) -> Response:
    if error.status_code == 404:
        return _error(404, "there is nothing at this address: the lab is at /")
    if error.status_code == 405:
        return _error(405, f"this address does not take {request.method} requests")
    return _error(error.status_code, error.detail)


async def _own_mistake(request: Request, error: Exception) -> Response:
    return _error(500, OWN_MISTAKE)


class OwnPageOnly:
    """Refuses requests under another host name or from another page, so that no site that you visit can use the lab."""

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

        why = _reason_to_refuse(scope)
        await (self.app if why is None else _error(403, why))(scope, receive, send_with_headers)


def _reason_to_refuse(scope: Scope) -> str | None:
    headers, port = Headers(scope=scope), scope["server"][1]
    names = [name + end for name in ("127.0.0.1", "localhost") for end in ("", f":{port}")]
    if headers.get("host") not in names:
        return f"the lab is at http://127.0.0.1:{port}/ and answers under no other name: open it there"
    if scope["method"] in ("GET", "HEAD"):
        return None
    origin = headers.get("origin")
    own = [f"http://{name}" for name in (names if port == 80 else names[1::2])]
    if (origin is not None and origin not in own) or headers.get("sec-fetch-site") == "cross-site":
        return "another page sent this request, and the lab answers only its own page: open the lab in a tab of its own"
    return None


class Patient(H11Protocol):
    """uvicorn's connections, closed when the client does not finish its request or does not take the answer in time.

    uvicorn itself waits for the first request without a limit.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._last: object = None  # the request at the last check
        self.loop.call_later(PATIENCE, self._check)

    def _check(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        if self.transport.is_closing() or (self.cycle is self._last and not answering):
            self.transport.abort()
            return
        self._last = self.cycle
        self.loop.call_later(PATIENCE, self._check)
