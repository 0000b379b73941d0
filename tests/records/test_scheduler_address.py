"""A scheduler that others could listen to is refused before anything is sent to it; see RFC 5735 and RFC 6761."""

from __future__ import annotations

import socket

import pytest

from config import ClusterSettings
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.records.cluster import counting_on_cluster, safe_address
from tests.cases import each

KNOWN = {  # what names stand for, in place of the network's answer
    "localhost": ["::1", "127.0.0.1"],
    "six.example": ["::1"],
    "here.example": ["127.0.0.7"],
    "both.example": ["127.0.0.1", "192.0.2.7"],
    "scheduler.example": ["192.0.2.7"],
}


@pytest.fixture(autouse=True)
def names(monkeypatch):
    def found(host, port, type):
        if host.replace(".", "").isdigit() or ":" in host:
            return [(0, 0, 0, "", (host, 0))]
        if host not in KNOWN:
            raise socket.gaierror
        return [(0, 0, 0, "", (address, 0)) for address in KNOWN[host]]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@each(
    "written, asked",
    [
        ("tls://scheduler.example:8786", "tls://scheduler.example:8786"),
        ("wss://192.0.2.7:443", "wss://192.0.2.7:443"),
        ("tls://[2001:db8::7]:8786", "tls://[2001:db8::7]:8786"),
        (" tcp://127.0.0.1:8786 ", "tcp://127.0.0.1:8786"),
        ("tcp://127.255.0.9:8786", "tcp://127.255.0.9:8786"),
        ("ws://[::1]:8786", "ws://[::1]:8786"),
        ("tcp://localhost:8786", "tcp://127.0.0.1:8786"),
        ("tcp://six.example:8786", "tcp://[::1]:8786"),
        ("ws://here.example", "ws://127.0.0.7"),
    ],
)
def test_behind_tls_or_on_the_loopback_interface_a_scheduler_is_asked(written, asked):
    assert safe_address(written) == asked


@each(
    "written",
    [
        "tcp://scheduler.example:8786",
        "ws://192.0.2.7:8786",
        "tcp://[2001:db8::7]:8786",
        "tcp://0.0.0.0:8786",
        "tcp://128.0.0.1:8786",
        "tcp://both.example:8786",
        "tcp://unknown.example:8786",
        "ucx://127.0.0.1:8786",
        "inproc://127.0.0.1/7/1",
        "inproc://here",
        "http://127.0.0.1:8786",
        "TCP://192.0.2.7:8786",
        "127.0.0.1:8786",
        "scheduler.example:8786",
        "tls://tcp://192.0.2.7:8786",
        "tcp://127.0.0.1@192.0.2.7:8786",
        "tcp://127.0.0.1:8786\ntcp://192.0.2.7:8786",
        "tls://",
    ],
)
def test_any_other_scheduler_is_refused_with_the_fix(written):
    with pytest.raises(FaultyInputError, match="others on the network could read") as raised:
        safe_address(written)
    (fault,) = raised.value.faults
    assert fault.startswith(f"BIOSTREAMS_SCHEDULER: found {written!r}")
    assert "nothing was sent to it; allowed: tls:// or wss://" in fault


def test_nothing_is_sent_to_a_scheduler_that_is_refused(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="requirements/cluster.txt is not installed")

    def asked(*arguments, **named):
        raise AssertionError("the scheduler was asked")

    monkeypatch.setattr(distributed, "Client", asked)
    settings = ClusterSettings("tcp://scheduler.example:8786")
    with (
        pytest.raises(FaultyInputError, match="BIOSTREAMS_SCHEDULER"),
        counting_on_cluster(settings, tmp_path),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
