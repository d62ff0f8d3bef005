"""`novikoff lab`: the page where points are put down by hand."""

import socket
from contextlib import suppress

import click

from novikoff.cli import Refused, main, say
from novikoff.foundation import interrupts

ADDRESS = "127.0.0.1"  # this machine alone


@main.command()
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Where to listen; otherwise a free one.")
@click.option("--no-browser", is_flag=True, help="Only say where the lab is, and open nothing.")
def lab(port: int, no_browser: bool) -> None:
    """Open the lab: a page in your browser where a perceptron learns from points that you put down.

    \b
    Examples:
      novikoff lab
      novikoff lab --port 8000 --no-browser

    It listens to this machine alone, needs no network, and keeps nothing. Ctrl-C ends it.
    """
    with suppress(KeyboardInterrupt):
        _serve(port, no_browser)
    interrupts.forget()  # Ctrl-C is how it ends


def _serve(port: int, no_browser: bool) -> None:
    try:
        import uvicorn

        from novikoff.lab.server import Patient, make_app
        from novikoff.lab.workers import Workers
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("fastapi", "starlette", "uvicorn"):
            raise
        raise Refused("the lab needs FastAPI and uvicorn: pip install 'novikoff[serve]'") from None
    with _listening(port) as listener, Workers() as workers:
        workers.begin()
        server = uvicorn.Server(
            uvicorn.Config(
                make_app(workers),
                http=Patient,
                log_level="critical",
                access_log=False,
                lifespan="off",
                timeout_graceful_shutdown=1,
            )
        )
        place = f"http://{ADDRESS}:{listener.getsockname()[1]}/"
        say(f"The lab is at {place} (Ctrl-C ends it)")
        if not no_browser:
            import webbrowser

            webbrowser.open(place)
        server.run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise Refused(f"port {port} cannot be had ({error.strerror}): give another, or leave --port out for a free one") from None
    return listener
