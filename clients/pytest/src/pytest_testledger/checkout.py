"""What the files of a git checkout say."""

from __future__ import annotations

import re
from pathlib import Path

_commit = re.compile(r"[0-9a-f]{40,64}")
_remote = re.compile(r'^\[remote "(.+)"\]$', re.MULTILINE)


def head_of(folder: Path) -> dict[str, str | None]:
    """Reads the files of git, because tests may have replaced subprocess."""
    try:
        git, common = _folders(folder)
        head = _text(git / "HEAD")
        if not head.startswith("ref:"):
            return {"commit": head} if _commit.fullmatch(head) else {}
        ref = without(head, "ref:").strip()
        return {"branch": branch_of(ref), "commit": _commit_of(ref, git, common)}
    except (OSError, StopIteration, UnicodeDecodeError):
        return {}


def remotes_of(folder: Path) -> list[str]:
    try:
        return _remote.findall((_folders(folder)[1] / "config").read_text("utf-8"))
    except (OSError, StopIteration, UnicodeDecodeError):
        return []


def _folders(folder: Path) -> tuple[Path, Path]:
    """That of this checkout, and the one that its worktrees share."""
    git = next(each / ".git" for each in (folder, *folder.parents) if (each / ".git").exists())
    if not git.is_file():
        return git, git
    git = git.parent / without(_text(git), "gitdir:").strip()
    shared = git / "commondir"
    return git, git / _text(shared) if shared.exists() else git


def _commit_of(ref: str, git: Path, common: Path) -> str | None:
    for file in (git / ref, common / ref):
        if file.exists():
            return _text(file)
    packed = common / "packed-refs"
    lines = packed.read_text("utf-8").splitlines() if packed.exists() else []
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), None)


def _text(file: Path) -> str:
    with file.open(encoding="utf-8") as opened:
        return opened.read(4096).strip()


def branch_of(ref: str | None) -> str | None:
    return None if ref is None or ref.startswith("refs/tags/") else without(ref, "refs/heads/")


def without(text: str | None, prefix: str) -> str:
    text = text or ""
    return text[len(prefix) :] if text.startswith(prefix) else text
