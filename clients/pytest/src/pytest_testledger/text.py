"""Texts that the server accepts, within bounds."""

from __future__ import annotations

import json
from typing import Any

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode(value: Any) -> bytes:
    """Compact JSON in UTF-8. The server refuses lone surrogates and NUL, so they become U+FFFD."""
    text = _encoder.encode(value)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return _encoder.encode(_clean(value)).encode()
    # A backslash before it may make this another text; cleaning it then changes nothing.
    return _encoder.encode(_clean(value)).encode() if b"\\u0000" in data else data


def size_of(text: str) -> int:
    """The bytes of a text within JSON."""
    return len(encode(text)) - 2


def cut(text: str, limit: int) -> str:
    """Keeps head and tail of a text of more than `limit` bytes within JSON, with a mark between them."""
    if len(text) * 6 <= limit or (len(text) <= 2 * limit and size_of(text) <= limit):
        return text
    keep = min(len(text) - 1, limit)
    while keep > 0:
        head = keep // 2
        left_out = len(text) - keep
        short = f"{text[:head]}\n[… {left_out} characters left out …]\n{text[len(text) - (keep - head) :]}"
        size = size_of(short)
        if size <= limit:
            return short
        keep = min(keep - 1, int(keep * limit / size))
    return ""


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_clean(key): _clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(each) for each in value]
    return value
