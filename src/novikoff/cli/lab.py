"""`novikoff lab`: a page in the browser where a perceptron learns points that you draw."""

import socket
from contextlib import suppress

import click

from novikoff.cli import Refused, main, say
from novikoff.cli.help_texts import option
from novikoff.foundation import interrupts

ADDRESS = "127.0.0.1"  # reachable from this machine only


@main.command()
@option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port to listen on (default: any free port).")
@option("--no-browser", is_flag=True, help="Print the address, but do not open a browser.")
def lab(port: int, no_browser: bool) -> None:
    """Open the lab: a page in your browser where a perceptron learns points that you draw.

    \b
    Examples:
      novikoff lab
      novikoff lab --port 8000 --no-browser

    The lab is reachable from this machine only, needs no network, and stores nothing. Stop it with Ctrl-C.
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
        say(f"The lab is at {place} (stop it with Ctrl-C)")
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
        raise Refused(f"port {port} is not available ({error.strerror}); choose another, or leave out --port") from None
    return listener
