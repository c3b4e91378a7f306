"""Where the tests run: pairs such as os=windows,node=22, or one JSON object, else the operating system."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .build import runner_os

_PAIRS = 10
_LONGEST = 255


class Environment(NamedTuple):
    pairs: dict[str, str]
    warnings: tuple[str, ...]


def read_environment(given: Iterable[str], env: Mapping[str, str]) -> Environment:
    """The first text that says something counts. Raises ValueError for one that is wrong."""
    pairs = next((pairs for pairs in map(_pairs_in, given) if pairs), [])
    kept: dict[str, str] = {}
    warnings = []
    for name, value in pairs:
        text = _text(value)
        wrong = _wrong(name.lower(), text)
        if wrong is None and text is not None:
            kept[name.lower()] = text
        else:
            warnings.append(f"{json.dumps(name)} is left out of the environment: {wrong}")
    if len(kept) > _PAIRS:
        raise ValueError(f"an environment has at most {_PAIRS} pairs, and this one has {len(kept)}")
    return Environment(kept or {"os": operating_system(env)}, tuple(warnings))


def operating_system(env: Mapping[str, str]) -> str:
    # A service may run pytest in another system than the one of its runner.
    name = (runner_os(env) or sys.platform).lower()
    if name.startswith(("win", "cygwin")):
        return "windows"
    if re.match(r"darwin|mac ?os|osx", name):
        return "macos"
    return name if _wrong("os", name) is None else sys.platform


def _pairs_in(text: str) -> list[tuple[str, Any]]:
    # CI services pass an empty text for what is not set, and a matrix leaves out what a leg does not have.
    return [(name, value) for name, value in _all_pairs_in(text.strip()) if value is not None and value != ""]


def _all_pairs_in(text: str) -> list[tuple[str, Any]]:
    # `toJSON(matrix)` of GitHub in a job without one.
    if text == "null":
        return []
    if text.startswith("{"):
        try:
            return list(json.loads(text).items())
        except ValueError as error:
            raise ValueError(f"the JSON of the environment is broken: {error}") from None
    pairs: list[tuple[str, Any]] = []
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise ValueError(f"an environment is like os=windows,node=22, or a JSON object: not {json.dumps(pair)}")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _text(value: Any) -> str | None:
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return value if isinstance(value, str) else None


def _wrong(name: str, text: str | None) -> str | None:
    if text is None:
        return "it is nested"
    if re.fullmatch(r"[a-z0-9_.-]{1,64}", name) is None:
        return "a name has up to 64 letters, digits, _, . and -"
    if "," in text or len(text) > _LONGEST:
        return f"a value has no comma, and at most {_LONGEST} characters"
    return None
