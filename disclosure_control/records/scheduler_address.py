"""Which schedulers a run may ask for work: those behind TLS, and those of this machine that no network reaches."""

from __future__ import annotations

import ipaddress
import re
import socket

from disclosure_control.basics.telling.faults import FaultyInputError

KEY = "BIOSTREAMS_SCHEDULER"
BEHIND_TLS, WITHOUT_TLS = ("tls", "wss"), ("tcp", "ws")
ADDRESS = re.compile(r"(?P<scheme>[a-z]+)://(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[\w.-]+))(?P<port>:[0-9]{1,5})?")
ALLOWED = (
    "allowed: tls:// or wss:// to any machine, and tcp:// or ws:// to 127.0.0.1, ::1 or localhost, each with the port, "
    "as tls://scheduler.example:8786"
)
LONGEST_TOLD = 80  # characters of an address in a message


def safe_address(written: str) -> str:
    """The address of a scheduler to which nobody else can listen.

    A name without TLS is replaced by its loopback address, so that the address that was checked is the one that is
    used. Raises ``FaultyInputError`` before anything is sent.
    """
    parts = ADDRESS.fullmatch(written.strip())
    if parts is None:
        raise _refused(written, "which is no address with its protocol", "write the protocol before it")
    if parts["scheme"] in BEHIND_TLS:
        return parts[0]
    if parts["scheme"] not in WITHOUT_TLS:
        raise _refused(written, f"and {parts['scheme']}:// is not a protocol for it", "use one of these")
    found = _addresses(parts["ipv6"] or parts["name"])
    if not found:
        raise _refused(written, "a name that stands for no address", "correct the name")
    if not all(one.is_loopback for one in found):
        raise _refused(
            written,
            "which others on the network can read and answer: no TLS, and not the loopback interface",
            "start the scheduler with TLS (docs/scale.md) and write tls://, or start it on this machine",
        )
    chosen = min(found, key=lambda one: one.version)  # as Dask itself, which listens on IPv4 where a name has both
    host = str(chosen) if chosen.version == 4 else f"[{chosen}]"
    return f"{parts['scheme']}://{host}{parts['port'] or ''}"


def _addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The addresses of a host; none if it is unknown."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [ipaddress.ip_address(str(address[0]).partition("%")[0]) for *_, address in found]


def _refused(written: str, what_is_wrong: str, fix: str) -> FaultyInputError:
    return FaultyInputError(
        f"{KEY}: found {written[:LONGEST_TOLD]!r}, {what_is_wrong}; nothing was sent to it; {ALLOWED}; {fix}"
    )
