"""How tests ask the lab, without a socket."""

import asyncio
import atexit

import httpx

from novikoff.lab.server import make_app
from novikoff.lab.workers import Workers

PLACE = "http://127.0.0.1:8000"
WORKERS = Workers()
APP = make_app(WORKERS)
atexit.register(WORKERS.__exit__)
JSON = {"content-type": "application/json"}


def ask(method, path, place=PLACE, **how):
    async def asked():
        transport = httpx.ASGITransport(app=APP, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=place) as client:
            return await client.request(method, path, **how)

    return asyncio.run(asked())


def post(name, body, **how):
    return ask("POST", f"/api/{name}", json=body, **how)


def told(name, body):
    answer = post(name, body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer, status, *words):
    """One sentence, and nothing else."""
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    said = answer.json()["error"]
    assert "\n" not in said
    assert "Traceback" not in said
    for word in words:
        assert word in said, said
