"""The service beside many who have no token: they cost it little, and whoever has the token is answered."""

from __future__ import annotations

import socket
import threading
import time
from decimal import Decimal

import httpx
import pytest
import uvicorn

from disclosure_control.analyses.private_release import serving
from disclosure_control.analyses.private_release.answers import Records
from disclosure_control.analyses.private_release.ledger import Ledger
from disclosure_control.analyses.private_release.service import ServedPilot, create_app
from disclosure_control.analyses.private_release.serving import SERVER_OPTIONS, Strangers
from tests.analyses.private_release.publish_pilots import SHA, people

resource = pytest.importorskip("resource", reason="limits of open files are POSIX")
TOKEN = "q7Zt-4mXw_9kPv2LrB8sYd"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
HALF_OF_A_HEAD = b"POST /count HTTP/1.1\r\nHost: x\r\nContent-"


@pytest.fixture
def server(tmp_path):
    pilot = ServedPilot(Records(people(2000)), SHA, Ledger(tmp_path, Decimal(1)))
    strangers = Strangers()
    app = create_app(pilot, TOKEN, strangers)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, http=strangers.protocol, **SERVER_OPTIONS)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    yield server
    server.should_exit = True
    thread.join()


def address_of(server) -> tuple[str, int]:
    return server.servers[0].sockets[0].getsockname()


def is_ended(connection: socket.socket, seconds: float) -> bool:
    connection.settimeout(seconds)
    try:
        return connection.recv(4096) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def asks(server) -> httpx.Response:
    host, port = address_of(server)
    return httpx.post(f"http://{host}:{port}/count", json={"epsilon": 0.1}, headers=HEADERS, timeout=20)


@pytest.mark.thorough("0.9 s of waiting")
def test_a_connection_that_says_nothing_or_half_of_it_ends(server, monkeypatch):
    monkeypatch.setattr(serving, "SECONDS_OF_A_STRANGER", 0.3)
    for sent in (b"", HALF_OF_A_HEAD, b"POST /openapi.json HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nhalf"):
        with socket.create_connection(address_of(server)) as connection:
            connection.sendall(sent)
            assert is_ended(connection, 10), sent


def test_who_has_shown_the_token_is_not_ended_as_a_stranger(server, monkeypatch):
    monkeypatch.setattr(serving, "SECONDS_OF_A_STRANGER", 0.3)
    host, port = address_of(server)
    with httpx.Client(base_url=f"http://{host}:{port}", headers=HEADERS) as client:
        assert client.get("/budget").status_code == 200
        time.sleep(0.6)
        reply = client.get("/budget")
        assert reply.status_code == 200
        assert len(server.server_state.connections) == 1  # the same connection still


def test_a_body_that_does_not_end_is_refused(server, monkeypatch):
    monkeypatch.setattr(serving, "SECONDS_OF_A_BODY", 0.3)
    head = f"POST /count HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 99\r\n\r\n"
    with socket.create_connection(address_of(server)) as connection:
        connection.settimeout(10)
        connection.sendall(head.encode() + b'{"epsi')
        reply = b"".join(iter(lambda: connection.recv(4096), b""))  # head and body may come apart
    assert reply.startswith(b"HTTP/1.1 408 ")
    assert b"did not end within 0.3 seconds; nothing was spent" in reply


def test_a_head_that_is_too_large_is_refused(server):
    with socket.create_connection(address_of(server)) as connection:
        connection.settimeout(10)
        connection.sendall(b"GET /budget HTTP/1.1\r\nHost: x\r\nA: " + b"a" * (serving.MOST_BYTES_OF_A_HEAD + 1))
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


@pytest.mark.thorough("4 s of waiting")
def test_a_try_without_the_token_is_slow_and_holds_nobody_up(server, monkeypatch):
    monkeypatch.setattr(serving, "SECONDS_BEFORE_A_REFUSAL", 3.0)
    host, port = address_of(server)
    url = f"http://{host}:{port}/budget"
    seconds = []

    def guess():
        started = time.monotonic()
        assert httpx.get(url, headers={"Authorization": "Bearer guess"}, timeout=20).status_code == 401
        seconds.append(time.monotonic() - started)

    guesses = [threading.Thread(target=guess) for _ in range(20)]
    for one in guesses:
        one.start()
    assert asks(server).status_code == 200
    assert seconds == []  # answered while they wait
    for one in guesses:
        one.join()
    assert len(seconds) == 20
    assert min(seconds) >= 3.0
