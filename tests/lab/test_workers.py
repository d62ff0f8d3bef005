"""Questions that take too long, that nobody waits for, and connections that do not ask: over real HTTP."""

import json
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import numpy as np
import pytest
import uvicorn
from asking import refused

from novikoff.lab import server, workers
from novikoff.lab.server import Patient, make_app
from novikoff.lab.workers import OWN_MISTAKE, Workers

XOR = {"points": [[0, 0, -1], [0, 1, 1], [1, 0, 1], [1, 1, -1]]}
ASKED = b"GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n"
JSON = b"Content-Type: application/json\r\n"


def slow():
    """What takes many seconds: almost every point is its own island, and all of them are learned in 200 other orders."""
    places = np.random.default_rng(0).uniform(-1, 1, (1000, 2)).tolist()
    points = [[*place, 1 if k % 2 else -1] for k, place in enumerate(places)]
    return {"points": points, "settings": {"kernel": {"name": "rbf", "gamma": 1e6}}, "runs": 100}


@contextmanager
def lab():
    """The address and the workers of a lab on a thread."""
    with socket.socket() as listener, Workers() as pool:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        app = uvicorn.Server(uvicorn.Config(make_app(pool), http=Patient, log_level="critical", lifespan="off"))
        thread = threading.Thread(target=app.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1], pool
        finally:
            app.should_exit = app.force_exit = True
            thread.join()


def ask(port, question, timeout=60):
    name = "orders" if "runs" in question else "run"
    return httpx.post(f"http://127.0.0.1:{port}/api/{name}", json=question, timeout=timeout)


def wait_until(true):
    until = time.monotonic() + 30
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_question_ends_after_its_time_and_others_are_answered_meanwhile(monkeypatch):
    monkeypatch.setattr(workers, "LONGEST", 1.2)
    with lab() as (port, _), ThreadPoolExecutor() as threads:
        assert ask(port, XOR).status_code == 200
        waiting = threads.submit(ask, port, slow())
        assert ask(port, XOR).json()["stop_reason"] == "cycle"
        assert not waiting.done()
        refused(waiting.result(), 503, "longer than 1.2 seconds", "leave some points out")
        assert ask(port, XOR).status_code == 200


def test_a_question_is_dropped_when_nobody_waits_for_its_answer():
    with lab() as (port, pool):
        assert ask(port, XOR).status_code == 200
        with pytest.raises(httpx.ReadTimeout):
            ask(port, slow(), timeout=0.5)
        wait_until(lambda: not pool._busy)  # long before the question would have been answered
        assert ask(port, XOR).status_code == 200


def test_the_lab_goes_on_where_a_process_dies():
    with lab() as (port, pool), ThreadPoolExecutor() as threads:
        answer = threads.submit(ask, port, slow())
        wait_until(lambda: pool._busy)
        os.kill(pool._busy[0]._process.pid, signal.SIGKILL)
        refused(answer.result(), 500, OWN_MISTAKE)
        pool._idle[0]._process.kill()
        pool._idle[0]._process.wait()
        assert ask(port, XOR).status_code == 200


def test_a_process_ends_with_its_server():
    worker = workers.Worker()
    worker.wait_until_ready()
    workers.send(worker._process.stdin, "orders", json.dumps(slow()).encode())
    worker._process.stdin.close()
    assert worker._process.wait(timeout=30) == 0
    worker.end()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (b"", b""),
        (b"", ASKED + b"X: " + b"a" * 10_000),
        (ASKED + b"\r\n", b""),
        (ASKED + b"\r\n", ASKED + b"X: " + b"a" * 10_000),
        (
            ASKED.replace(b"GET /icon.svg", b"POST /api/run") + JSON + b"Content-Length: 10000\r\n\r\n",
            b"1" * 9000,
        ),
    ],
    ids=["nothing", "a header, byte for byte", "nothing after a request", "another, byte for byte", "a body, byte for byte"],
)
def test_who_does_not_finish_a_request_is_hung_up_on(monkeypatch, first, then):
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    with lab() as (port, _), socket.create_connection(("127.0.0.1", port), timeout=0.1) as connection:
        connection.sendall(first)
        sent, until = 0, time.monotonic() + 30
        while True:
            try:
                connection.sendall(then[sent : sent + 1])
                sent += 1
                if not connection.recv(2**16):
                    break
            except TimeoutError:
                assert time.monotonic() < until
            except (BrokenPipeError, ConnectionResetError):
                break


def test_who_asks_now_and_then_is_not_hung_up_on(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    with lab() as (port, _), httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        stream = client.get("/icon.svg").extensions["network_stream"]
        for _ in range(6):
            time.sleep(0.3)
            assert client.get("/icon.svg").extensions["network_stream"] is stream
