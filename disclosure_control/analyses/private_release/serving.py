"""Access to the service: the token first, and limits on everything a connection can use.

A connection that has not shown the token is a stranger's. A stranger's connection ends after some seconds, whatever it
sends. If there are too many strangers the oldest connection ends first, so that they never keep out a client with the
token. An attempt without the token is answered late.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_BYTES = 64 * 1024  # largest body
MOST_BYTES_OF_A_HEAD = 16 * 1024
# Together within a process's usual limit of 1024 open files; so many are accepted before any is ended.
MOST_STRANGERS, MOST_CONNECTIONS, MOST_AT_ONCE = 200, 700, 128
SECONDS_OF_A_STRANGER, SECONDS_OF_A_BODY = 10.0, 30.0
SECONDS_BEFORE_A_REFUSAL = 1.0

SERVER_OPTIONS: dict[str, Any] = {
    # Questions are private, and the traceback of a fault may contain data: nothing is logged.
    "access_log": False,
    "log_level": "critical",
    "server_header": False,
    "proxy_headers": False,  # a connection is identified by its own address, not by a header
    "ws": "none",
    "timeout_keep_alive": 5,
    "limit_concurrency": MOST_CONNECTIONS,
    "backlog": MOST_AT_ONCE,
    "h11_max_incomplete_event_size": MOST_BYTES_OF_A_HEAD,
}


class Strangers:
    """The connections of one server that have not shown the token, oldest first."""

    def __init__(self) -> None:
        self._by_address: dict[object, asyncio.Transport] = {}

    def protocol(self, *arguments: Any, **options: Any) -> H11Protocol:
        """What uvicorn makes for each connection."""
        return _TimedProtocol(self, *arguments, **options)

    def came(self, address: object, transport: asyncio.Transport) -> None:
        if len(self._by_address) >= MOST_STRANGERS:
            self.end(next(iter(self._by_address)))
        self._by_address[address] = transport

    def end(self, address: object) -> None:
        """End the connection if it is still a stranger's."""
        if transport := self._by_address.pop(address, None):
            transport.abort()

    def left(self, address: object) -> None:
        """Forget a connection that has shown the token, or is closed."""
        self._by_address.pop(address, None)


class _TimedProtocol(H11Protocol):
    """A connection of uvicorn that ends unless it shows the token in time."""

    def __init__(self, strangers: Strangers, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._strangers = strangers
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._strangers.came(self.client, transport)
        self._end = self.loop.call_later(SECONDS_OF_A_STRANGER, self._strangers.end, self.client)

    def connection_lost(self, exc: Exception | None) -> None:
        self._strangers.left(self.client)
        if self._end:
            self._end.cancel()
        super().connection_lost(exc)


class Gate:
    """Token first, then the size of the body; only then is the content read."""

    def __init__(self, app: Callable, token: str, open_path: str, strangers: Strangers):
        self.app, self.expected = app, b"bearer " + token.encode("utf-8")
        self.open_path, self.strangers = open_path, strangers

    async def __call__(self, scope: dict, receive: Callable, send: Callable) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_known = self._is_known(dict(scope["headers"]))
        if is_known:
            self.strangers.left(scope["client"])
        elif scope["path"] != self.open_path:
            try:
                await asyncio.wait_for(_gone(receive), SECONDS_BEFORE_A_REFUSAL)
            except TimeoutError:
                headers = {"WWW-Authenticate": "Bearer", "Connection": "close"}
                await refusal(HTTPStatus.UNAUTHORIZED, ["a token is needed"], headers=headers)(scope, receive, send)
            return
        try:
            body = await asyncio.wait_for(_body_up_to(MOST_BYTES, receive), SECONDS_OF_A_BODY)
        except TimeoutError:
            late = f"did not end within {SECONDS_OF_A_BODY:g} seconds"
            await _too(scope, receive, send, HTTPStatus.REQUEST_TIMEOUT, late)
        else:
            if body is None:
                large = f"is larger than {MOST_BYTES} bytes"
                await _too(scope, receive, send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, large)
            else:
                await self.app(scope, _replayed(body, receive), send)

    def _is_known(self, headers: Mapping[bytes, bytes]) -> bool:
        given = headers.get(b"authorization", b"")
        scheme, _, token = given.partition(b" ")
        return hmac.compare_digest(scheme.lower() + b" " + token, self.expected)


def refusal(
    status: HTTPStatus, faults: Iterable[str], left: str | None = None, headers: Mapping | None = None
) -> JSONResponse:
    """A refusal's reasons, in the one form of all refusals."""
    content = {"faults": [fault.encode("utf-8", "replace").decode() for fault in faults], "left": left}
    return JSONResponse(content, status.value, headers=headers)


async def _too(scope: dict, receive: Callable, send: Callable, status: HTTPStatus, what: str) -> None:
    response = refusal(status, [f"the body {what}; nothing was spent"], headers={"Connection": "close"})
    await response(scope, receive, send)


async def _gone(receive: Callable) -> None:
    """Wait until the client has disconnected; whatever it sends is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body_up_to(n_bytes: int, receive: Callable) -> bytes | None:
    """The body, or None as soon as it is larger."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return body
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > n_bytes:
            return None
    return body


def _replayed(body: bytes, receive: Callable) -> Callable:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> dict:
        return waiting.pop() if waiting else await receive()

    return receive_again
