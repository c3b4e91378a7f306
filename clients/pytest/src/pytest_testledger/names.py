"""
Names of tests. They are those that the JUnit importer of testledger makes of pytest's own JUnit XML, so a history
goes on when a team moves from the import to this plugin.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple

SEPARATOR = " › "
NAME_LIMIT = 255
_HEAD = 240

# XML 1.0 cannot have these, and pytest writes them as `#x1B` into its report.
_illegal = re.compile("[^\t\n\r\u0020-\u007e\u0080-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_separators = re.compile(r"[\\/:]+")


class Name(NamedTuple):
    name: str
    """At most 255 characters."""
    full: str
    suite: str
    """The file and the classes, with dots, as the `classname` in JUnit XML."""


def name_of(nodeid: str, junit_suite: str, junit_prefix: str) -> Name:
    container, own = _parted(nodeid)
    if not own:
        # A file that could not be collected has no classes, only the prefix.
        own, container = _dotted(container), ""
    around = _around(container, junit_suite, junit_prefix)
    own = _visible(own)
    full = (around.without_suite if _has(own, around.suite) else around.whole) + own
    return Name(full if len(full) <= NAME_LIMIT else shortened(full), full, around.suite)


def _has(own: str, suite: str) -> bool:
    """Whether the name has the suite in it as whole words: `test_cart` is not in `test_cart_pays`."""
    at = own.find(suite)
    if at == -1 or not suite:
        return at != -1
    end = at + len(suite)
    goes_on_before = _is_word(own[at - 1 : at]) and _is_word(suite[0])
    goes_on_after = _is_word(own[end : end + 1]) and _is_word(suite[-1])
    return not goes_on_before and not goes_on_after


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def shortened(name: str) -> str:
    if len(name) <= NAME_LIMIT:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:12]
    return f"{name[:_HEAD]}…{digest}"


def _parted(nodeid: str) -> tuple[str, str]:
    """The file with the classes, and the test with its parameters, which may hold anything."""
    before, bracket, params = nodeid.partition("[")
    container, separator, own = before.rpartition("::")
    if separator:
        return container, own + bracket + params
    file, separator, rest = nodeid.partition("::")
    if not separator:
        return nodeid, ""
    # The bracket was in the path.
    before, bracket, params = rest.partition("[")
    classes, separator, own = before.rpartition("::")
    return f"{file}::{classes}" if separator else file, own + bracket + params


class _Around(NamedTuple):
    """What all tests of a file or a class share."""

    whole: str
    without_suite: str
    suite: str


# It is the same for most tests and the one before them.
@lru_cache(maxsize=256)
def _around(container: str, junit_suite: str, junit_prefix: str) -> _Around:
    file, *classes = container.split("::")
    suite = _visible(".".join(part for part in (junit_prefix, _dotted(file), *classes) if part))
    outer = _one_line(junit_suite)
    first = outer + SEPARATOR if outer else ""
    return _Around(first if _is_same(outer, suite) else f"{first}{suite}{SEPARATOR}", first, suite)


def _dotted(file: str) -> str:
    return (file[:-3] if file.endswith(".py") else file).replace("/", ".")


def _visible(text: str) -> str:
    plain = text if text.isprintable() else _illegal.sub(_escape, text)
    return _one_line(plain)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _is_same(one: str, other: str) -> bool:
    """A file and a class can be the same but for their separators."""
    return one == other or _separators.sub(".", one) == _separators.sub(".", other)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"#x{code:02X}" if code <= 0xFF else f"#x{code:04X}"
