"""
Takes secrets out of what the plugin sends. `src/client/masking` of testledger does the same with the same table of
forms, and both pass the cases of `tests/masking.json`.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from bisect import bisect_left
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, Callable
from urllib.parse import quote

_table: dict[str, Any] = json.loads((Path(__file__).parent / "secret_forms.json").read_text("utf-8"))
_sets: dict[str, str] = _table["sets"]
_form_of: dict[str, dict[str, Any]] = {prefix: form for form in _table["forms"] for prefix in form["prefixes"]}
_any_prefix = re.compile("|".join(re.escape(each) for each in sorted([*_form_of, "://"], key=len, reverse=True)))
_gaps = {form["gap"]: re.compile(form["gap"]) for form in _table["forms"] if "gap" in form}
_runs = {name: re.compile(f"[{characters}]*") for name, characters in _sets.items()}
_ones = {name: re.compile(f"[{characters}]") for name, characters in _sets.items()}
_password = re.compile(r"""[^\s/?#@:"'<>\\]{0,256}:([^\s/?#@"'<>\\]{1,256})@""")
_cut_rest = re.compile(r"(?:…|\.\.\.)[A-Za-z0-9_-]{0,256}")
_key_mark = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_key_content = re.compile(r"[A-Za-z0-9+/=\r\n\t \\]")
_cuts = re.compile(r"\n\[… [0-9]+ characters left out …\]\n|…|\.\.\.")
_word_end = re.compile(r"[A-Za-z0-9_\-.+/=~%:@!$&*^#]")
_any_case = re.compile(f"(?:{'|'.join(_table['names']['anyCase'])})$", re.IGNORECASE)
_upper_case = re.compile(f"(?:{'|'.join(_table['names']['upperCase'])})$")
_public_names = frozenset(_table["names"]["not"])
_short: dict[str, Any] = _table["shortValues"]
_ordinary = re.compile(_short["ordinary"])
_behind = re.compile(_short["behind"])
_json_escape = re.compile(
    r"""\\{1,4}(?:u([dD][89abAB][0-9a-fA-F]{2})\\{1,4}u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(["/]))"""
)

MASK = "***"
# Larger files are sent as they are.
FILE_BYTES = 10 * 1024 * 1024
_SHOWN = 8
_BEHIND = 16
_SHORTEST_LINE = 20
_CUT_WORD = 4096
_LEAST_CUT_WORD = 8
_LOOKED_AT = 8192
_NAMING_KEYS = frozenset(["file", "suite", "owner", "tags", "environment", "tool", "branch"])
_text_types = re.compile(r"^text/|[/+](?:json|xml|yaml|x-yaml|x-ndjson|javascript|x-www-form-urlencoded)\b")

Span = tuple[int, int]


class Masker:
    def __init__(self, env: Mapping[str, str]) -> None:
        self._values = _secret_values(env)
        # A plain word may be in the name of anything, and the same test has the same name in every job.
        self._not_words = {
            value: is_short for value, is_short in self._values.items() if not re.fullmatch("[A-Za-z]+", value)
        }
        self.secrets = 0
        self.files_not_searched = 0

    def text(self, text: str) -> str:
        """Of what a test printed or raised, or of a file."""
        return self._masked(text, self._values)

    def name(self, text: str) -> str:
        """Of what a test is known by."""
        return self._masked(text, self._not_words)

    def item(self, item: dict[str, Any]) -> dict[str, Any]:
        masked = {key: self._value(value, self.text) for key, value in item.items() if key != "metadata"}
        masked["name"] = self.name(item["name"])
        if "metadata" in item:
            masked["metadata"] = self.metadata(item["metadata"])
        return masked

    def metadata(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        return {
            self.text(key): self._value(value, self.name if key in _NAMING_KEYS else self.text)
            for key, value in metadata.items()
        }

    def file(self, content: bytes, content_type: str) -> bytes:
        """The content of a file; of one that is no text, as it is."""
        if not is_text(content, content_type):
            return content
        # Latin-1 has a character for each byte, so what is no secret stays the same in every encoding.
        encodings = ("utf-16-le",) if content[:2] == b"\xff\xfe" else ("utf-8", "latin-1")
        for encoding in encodings:
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                continue
            masked = self.text(text)
            return content if masked == text else masked.encode(encoding)
        return content

    def _value(self, value: Any, mask: Callable[[str], str]) -> Any:
        if isinstance(value, str):
            return mask(value)
        if isinstance(value, dict):
            return {mask(str(key)): self._value(each, mask) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._value(each, mask) for each in value]
        return value

    def _masked(self, text: str, values: dict[str, bool]) -> str:
        whole = _joined([*_forms(text), *_private_keys(text), *_found(text, values)])
        halves = _halves(text, values) if "…" in text or "..." in text else []
        if not whole and not halves:
            return text
        self.secrets += len(whole)
        parts: list[str] = []
        begun = 0
        for start, end in _joined([*whole, *halves]):
            parts += [text[begun:start], MASK]
            begun = end
        return "".join([*parts, text[begun:]])


def is_text(content: bytes, content_type: str) -> bool:
    return (
        _text_types.search(content_type) is not None or content[:2] == b"\xff\xfe" or b"\0" not in content[:_LOOKED_AT]
    )


def masked_text(masker: Masker | None) -> str:
    """For people, with a comma before it; empty where nothing was found."""
    if masker is None:
        return ""
    secrets, files = masker.secrets, masker.files_not_searched
    parts = [f", {secrets} {'secret' if secrets == 1 else 'secrets'} masked"] if secrets else []
    if files:
        parts.append(f", {files} {'file' if files == 1 else 'files'} too large to look for secrets")
    return "".join(parts)


def _secret_values(env: Mapping[str, str]) -> dict[str, bool]:
    """Whether they are short, by the text."""
    texts: dict[str, bool] = {}
    for name, value in env.items():
        if name in _public_names or not (_any_case.search(name) or _upper_case.search(name)):
            continue
        whole = value.strip()
        is_short = len(whole) < _short["below"]
        if len(whole) < _short["least"] or (is_short and _ordinary.search(whole)):
            continue
        lines = [line for line in whole.splitlines() if len(line) >= _SHORTEST_LINE and not re.search(r"\s", line)]
        written = _base64_forms(whole, is_short)
        for text in [whole, *lines]:
            in_json = json.dumps(text, ensure_ascii=False)[1:-1]
            in_url = quote(text, safe="!'()*-._~", errors="replace")
            in_xml = escape(text, quote=False).replace('"', "&quot;")
            written += [text, in_json, in_url, in_xml]
        texts.update({text: is_short and texts.get(text, True) for text in written})
    return texts


def _base64_forms(text: str, is_short: bool) -> list[str]:
    """
    Within other bytes, without the characters that depend on what stands before and behind it. Of a short value, only
    what is made of it alone: parts of it are in every picture.
    """
    forms: list[str] = []
    for before in range(1 if is_short else 3):
        whole = bytes(before) + text.encode("utf-8", "replace")
        last = None if is_short else len(whole) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            forms.append(encode(whole).decode().replace("=", "")[-(-before * 8 // 6) : last])
    return forms


def _found(text: str, values: dict[str, bool]) -> list[Span]:
    if not values:
        return []
    found = _found_plain(text, values)
    if "\\u" not in text and "\\/" not in text:
        return found
    # Of each escape: the place of its character, and by how much all that follow stand later in the given text.
    places: list[int] = []
    later = [0]

    def unescaped(escape: re.Match[str]) -> str:
        places.append(escape.start() - later[-1])
        later.append(later[-1] + len(escape[0]) - 1)
        high, low, code, same = escape.groups()
        if high is not None:
            return chr(0x10000 + (int(high, 16) - 0xD800) * 0x400 + int(low, 16) - 0xDC00)
        return same if code is None else chr(int(code, 16))

    plain = _json_escape.sub(unescaped, text)
    for span in _found_plain(plain, values):
        start, end = (place + later[bisect_left(places, place)] for place in span)
        found.append((start, end))
    return found


def _found_plain(text: str, values: dict[str, bool]) -> list[Span]:
    found: list[Span] = []
    for value, is_short in values.items():
        at = text.find(value)
        while at != -1:
            end = at + len(value)
            if not is_short or _stands_alone(text, at, end):
                found.append((at, end))
            at = text.find(value, end)
    return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    return (
        _behind.search(text[max(0, start - _BEHIND) : start]) is not None
        and re.match("[A-Za-z0-9]", text[end : end + 1]) is None
    )


def _forms(text: str) -> list[Span]:
    found: list[Span] = []
    # By characters and part: a text of many prefixes without an end is not read again for each.
    known: dict[tuple[str, int], Span] = {}
    begun = 0
    while True:
        match = _any_prefix.search(text, begun)
        if match is None:
            return found
        span = (
            _password_at(text, match.end())
            if match[0] == "://"
            else _form_at(text, match.start(), _form_of[match[0]], len(match[0]), known)
        )
        begun = match.start() + 1
        if span is not None:
            found.append(span)
            begun = max(begun, span[1])


def _password_at(text: str, at: int) -> Span | None:
    match = _password.match(text, at)
    return match.span(1) if match is not None and match[1].strip("*") else None


def _form_at(text: str, at: int, form: dict[str, Any], length: int, known: dict[tuple[str, int], Span]) -> Span | None:
    begin, end = at, at + length
    if "gap" in form:
        gap = _gaps[form["gap"]].match(text, end)
        if gap is None:
            return None
        begin = end = gap.end()
    if "before" in form:
        before = form["before"]
        one = _ones[before["characters"]]
        while begin > 0 and at - begin < before["most"] and one.match(text[begin - 1]):
            begin -= 1
        if at - begin < before["least"]:
            return None
    for number, (least, *most) in enumerate(form["parts"]):
        if number > 0:
            if text[end : end + 1] != ".":
                return None
            end += 1
        start = end
        key = (form["characters"], number)
        run = known.get(key, (0, -1))
        if not run[0] <= start <= run[1]:
            whole = _runs[form["characters"]].match(text, start)
            run = known[key] = (start, whole.end() if whole else start)
        end = run[1]
        if end - start < least:
            return _cut_span(text, begin, end) if number == 0 and end - start >= _SHOWN else None
        if most and end - start > most[0]:
            return None
    return begin, end


def _cut_span(text: str, begin: int, at: int) -> Span | None:
    # Forms with dots in them take those for their own.
    dots = text.find("...", begin, at)
    rest = _cut_rest.match(text, at if dots == -1 else dots)
    return None if rest is None else (begin, rest.end())


def _private_keys(text: str) -> list[Span]:
    if "PRIVATE KEY" not in text:
        return []
    found: list[Span] = []
    opened: int | None = None
    done = 0
    for mark in _key_mark.finditer(text):
        if mark[1] == "BEGIN":
            opened = mark.start() if opened is None else opened
            continue
        start = mark.start() if opened is None else opened
        while opened is None and start > done and _key_content.match(text[start - 1]):
            start -= 1
        done = mark.end()
        found.append((start, done))
        opened = None
    if opened is not None:
        found.append((opened, len(text)))
    return found


def _halves(text: str, values: dict[str, bool]) -> list[Span]:
    found: list[Span] = []
    for cut in _cuts.finditer(text):
        start, end = cut.span()
        own = cut[0].startswith("\n")
        for value in values:
            before = _beginning_before(text, start, value, 4 if own else 8)
            after = _end_after(text, end, value, 4 if own else 8)
            found += [(start - before, start)] * (before > 0) + [(end, end + after)] * (after > 0)
        if not own:
            continue
        begin, last = start, end
        while begin > 0 and start - begin < _CUT_WORD and _word_end.match(text[begin - 1]):
            begin -= 1
        while last < len(text) and last - end < _CUT_WORD and _word_end.match(text[last]):
            last += 1
        found += [(begin, start)] * (start - begin >= _LEAST_CUT_WORD) + [(end, last)] * (last - end >= _LEAST_CUT_WORD)
    return found


def _beginning_before(text: str, at: int, value: str, least: int) -> int:
    begin = text.find(value[:least], max(0, at - len(value) + 1), at)
    while begin != -1:
        if value.startswith(text[begin:at]):
            return at - begin
        begin = text.find(value[:least], begin + 1, at)
    return 0


def _end_after(text: str, at: int, value: str, least: int) -> int:
    part = text[at : at + len(value) - 1]
    end = part.rfind(value[-least:])
    while end != -1:
        if value.endswith(part[: end + least]):
            return end + least
        end = part.rfind(value[-least:], 0, end + least - 1)
    return 0


def _joined(spans: list[Span]) -> list[Span]:
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result
