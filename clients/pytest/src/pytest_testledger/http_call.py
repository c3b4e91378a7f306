"""
One HTTP request to the server. It uses the classes of the standard library as they are when this module is imported:
tests replace those of HTTP clients (vcrpy, responses, respx), and would otherwise answer or record these requests too.
"""

from __future__ import annotations

import base64
import json
import os
import ssl
from collections.abc import Mapping
from functools import lru_cache
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from .clock import own_monotonic

# An answer of more is not read: the server has none.
_ANSWER_BYTES = 4 * 1024 * 1024
_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")
# Worth a repeat. A 409 is one only while the first request with the same key is in flight.
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})


class Refused(Exception):
    """The server answered, and not with success."""

    def __init__(
        self, status: int, code: str, message: str, retry_after: float, pointers: tuple[str, ...] = ()
    ) -> None:
        super().__init__(f"{status} {code}: {message}" if message else f"{status} {code}".strip())
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.pointers = pointers
        """The wrong fields, such as `/results/7/name`."""
        self.transient = status in _TRANSIENT or code == "in_flight"


class Body(NamedTuple):
    content: bytes | BinaryIO
    length: int


def call(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    timeout: float,
    body: Body | None = None,
) -> Any:
    """Returns the answer, parsed as JSON where it is JSON, else None.

    `timeout` is for each step on the socket, and for the answer as a whole.

    Raises Refused, OSError or http.client.HTTPException.
    """
    parts = urlsplit(url)
    connection, target, more = _open(parts, timeout)
    until = own_monotonic() + timeout
    try:
        length = {} if body is None else {"Content-Length": str(body.length)}
        connection.request(
            method,
            target,
            body=None if body is None else body.content,
            headers={**headers, **more, **length, "Connection": "close"},
        )
        response = connection.getresponse()
        text = bytearray()
        while chunk := response.read1(64 * 1024):
            text += chunk
            if len(text) > _ANSWER_BYTES:
                raise OSError("the answer is too long")
            if own_monotonic() > until:
                raise TimeoutError("the answer takes too long")
        answer = _parsed(bytes(text))
        if 200 <= response.status < 300:
            return answer
        raise _refusal(response.status, answer, response.headers.get("Retry-After"))
    finally:
        connection.close()


def _open(parts: SplitResult, timeout: float) -> tuple[HTTPConnection, str, dict[str, str]]:
    """The connection, the target of the request line, and headers for the proxy."""
    host = parts.hostname or ""
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    proxy = _proxy(parts)
    if parts.scheme == "https":
        context = _tls()
        if proxy is None:
            return HTTPSConnection(host, parts.port, timeout=timeout, context=context), path, {}
        tunnel = HTTPSConnection(proxy.hostname or "", proxy.port, timeout=timeout, context=context)
        tunnel.set_tunnel(host, parts.port or 443, headers=_proxy_headers(proxy))
        return tunnel, path, {}
    if proxy is None:
        return HTTPConnection(host, parts.port, timeout=timeout), path, {}
    through = HTTPConnection(proxy.hostname or "", proxy.port, timeout=timeout)
    return through, f"http://{parts.netloc}{path}", _proxy_headers(proxy)


# Reading the certificates takes longer than a request.
@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _proxy(parts: SplitResult) -> SplitResult | None:
    if not any(name in os.environ or name.upper() in os.environ for name in _PROXY_VARIABLES):
        return None
    # Only here: the import takes time, and most machines have no proxy.
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return urlsplit(proxy if "://" in proxy else f"http://{proxy}")


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(login.encode()).decode()}


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        # A proxy answers with HTML; its status says enough.
        return None


def _refusal(status: int, answer: Any, retry_after: str | None) -> Refused:
    """Errors have one form under /v1 and another one under /v1/test."""
    error = answer.get("error", answer) if isinstance(answer, dict) else {}
    error = error if isinstance(error, dict) else {}
    details = error.get("details")
    reason = details.get("reason") if isinstance(details, dict) else None
    code = str(reason or error.get("code") or "")
    message = str(error.get("message") or error.get("detail") or "")[:500]
    seconds = float(retry_after) if retry_after and retry_after.isdigit() else 0.0
    fields = details.get("errors") if isinstance(details, dict) else error.get("errors")
    pointers = [str(field.get("pointer")) for field in fields or () if isinstance(field, dict)]
    return Refused(status, code, message, seconds, tuple(pointers))
