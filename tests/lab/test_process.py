"""`novikoff lab` as a process: it says where it is, answers, and ends when told to, without a word more."""

import builtins
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest
from click.testing import CliRunner

from novikoff.cli import main

XOR = [[0, 0, -1], [0, 1, 1], [1, 0, 1], [1, 1, -1]]


@contextmanager
def lab(*more):
    with subprocess.Popen(
        [sys.executable, "-m", "novikoff", "lab", "--no-browser", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_listens_answers_and_ends_with_ctrl_c():
    with lab("--port", "0") as process:
        line = process.stdout.readline()
        place = line.removeprefix("The lab is at ").removesuffix(" (stop it with Ctrl-C)\n")
        assert line == f"The lab is at {place} (stop it with Ctrl-C)\n"
        assert place.startswith("http://127.0.0.1:")
        page = httpx.get(place)
        assert page.status_code == 200
        assert "<html" in page.text
        run = httpx.post(f"{place}api/run", json={"points": XOR}, timeout=60).json()
        assert run["stop_reason"] == "cycle"
        assert httpx.post(f"{place}api/run", json={"points": XOR}, headers={"host": "evil.example"}).status_code == 403
        assert httpx.post(f"{place}api/run", content=b"{", headers={"content-type": "application/json"}).status_code == 422
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


def test_ctrl_c_ends_it_though_a_connection_is_open():
    with lab() as process:
        place = process.stdout.readline().split()[4]
        with httpx.Client() as client:
            client.get(place)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


def test_a_port_that_is_taken_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = CliRunner().invoke(main, ["lab", "--no-browser", "--port", str(port)])
    assert found.exit_code == 3
    assert found.stdout == ""
    assert found.stderr.startswith(f"novikoff: port {port} is not available")
    assert found.stderr.count("\n") == 1


def test_without_fastapi_it_says_what_to_install(monkeypatch):
    imported = builtins.__import__

    def lacking(name, *args, **more):
        if name.partition(".")[0] == "uvicorn":
            raise ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn")
        return imported(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", lacking)
    found = CliRunner().invoke(main, ["lab", "--no-browser"])
    assert found.exit_code == 3
    assert found.stderr == "novikoff: the lab needs FastAPI and uvicorn: pip install 'novikoff[serve]'\n"


def test_help_loads_nothing():
    code = (
        "import sys; from novikoff.cli import main\n"
        "try: main(['lab', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'fastapi', 'uvicorn', 'numpy'} & set(sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "--port" in found.stdout
    assert "--no-browser" in found.stdout


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_a_port_that_is_none_is_refused(port):
    assert CliRunner().invoke(main, ["lab", "--port", port]).exit_code == 3
