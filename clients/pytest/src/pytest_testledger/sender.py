"""
Posts results in a thread of its own, so that no test waits for the server. The queue has a bound in bytes: what does
not fit is left out and counted. The thread is a daemon: however the server hangs, pytest ends.
"""

from __future__ import annotations

import re
import threading
import uuid
from collections import deque
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, TypeVar

from .attachments import RESULT_LIMIT, Attachment
from .clock import own_monotonic
from .http_call import Refused
from .server import Posted, ProjectMissing, Server
from .settings import Settings
from .text import encode

T = TypeVar("T")

QUEUE_BYTES = 8 * 1024 * 1024
# A shard is one call at the end, of at most 32 MiB.
SHARD_QUEUE_BYTES = 30 * 1024 * 1024
SHARD_RESULTS = 50_000
# The server reads a body of up to 1 MiB before the body waits for its turn.
BATCH_BYTES = 512 * 1024
BATCH_RESULTS = 5_000
# Files that wait for their upload.
UPLOADS = 10_000
EXIT_SECONDS = 5.0
_CALL_SECONDS = 15.0
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0
_RESULT = re.compile(r"/?results/(\d+)")


class Group(NamedTuple):
    """Results that belong into one call."""

    encoded: list[bytes]
    size: int
    attachments: list[tuple[int, Attachment]]
    """With the place of the result that has it."""


class Outcome(NamedTuple):
    run_id: str | None
    sent: int
    left_out: int
    attachments_left_out: int
    trouble: str | None
    """The first reason for which something was left out."""


class GaveUp(Exception):
    pass


class Sender:
    """`describe` gives the metadata of the run. It is called in the thread."""

    def __init__(
        self,
        settings: Settings,
        describe: Callable[[], Mapping[str, Any]],
        *,
        exit_seconds: float = EXIT_SECONDS,
        batch_seconds: float = 2.0,
    ) -> None:
        self._settings = settings
        self._describe = describe
        self._exit_seconds = exit_seconds
        self._batch_seconds = batch_seconds
        self._room = QUEUE_BYTES if settings.shard is None else SHARD_QUEUE_BYTES
        self._lock = threading.Condition()
        self._queue: deque[Group] = deque()
        self._queued_bytes = 0
        self._queued_results = 0
        self._closing = threading.Event()
        self._deadline = float("inf")
        self._given_up = False
        self._added = 0
        self._sent = 0
        self._files_added = 0
        self._files_sent = 0
        self._trouble: str | None = None
        self._last_fault: str | None = None
        self._run_id: str | None = None
        self._session = uuid.uuid4().hex
        self._calls = 0
        self._uploads: deque[tuple[str, Attachment]] = deque()
        self._started = own_monotonic()
        self._next_post = self._started + batch_seconds
        self._server = Server(settings, self._timeout)
        self._thread = threading.Thread(target=self._run, name="testledger", daemon=True)
        self._thread.start()

    def add(self, group: Group) -> None:
        count = len(group.encoded)
        # The comma after each.
        size = group.size + count
        with self._lock:
            self._added += count
            self._files_added += len(group.attachments)
            if self._given_up:
                return
            full = self._settings.shard is not None and self._queued_results + count > SHARD_RESULTS
            if full or self._queued_bytes + size > self._room:
                self._note("the results came faster than the server took them")
                return
            was_small = not self._is_due()
            self._queue.append(group)
            self._queued_bytes += size
            self._queued_results += count
            if was_small and self._is_due():
                self._lock.notify()

    def note(self, trouble: str, *, attachments: int = 0) -> None:
        """Takes a reason for which something is missing."""
        with self._lock:
            self._files_added += attachments
            self._note(trouble)

    def close(self) -> Outcome:
        """Sends what is left, for a limited time."""
        self._deadline = own_monotonic() + self._exit_seconds
        self._closing.set()
        with self._lock:
            self._lock.notify()
        self._thread.join(self._exit_seconds)
        with self._lock:
            if self._thread.is_alive():
                self._given_up = True
                self._note(self._last_fault or f"the server did not answer within {self._exit_seconds:g} s")
            return Outcome(
                self._run_id,
                self._sent,
                self._added - self._sent,
                self._files_added - self._files_sent,
                self._trouble,
            )

    def _note(self, trouble: str) -> None:
        self._trouble = self._trouble or trouble

    def _is_due(self) -> bool:
        return self._queued_bytes >= BATCH_BYTES and self._settings.shard is None

    def _run(self) -> None:
        try:
            self._post_all()
        except (GaveUp, Refused) as error:
            self._give_up(str(error))
        # The thread has no caller: an error that leaves it would be printed amid the output of the tests.
        except Exception as error:  # noqa: BLE001
            self._give_up(f"{type(error).__name__}: {error}")

    def _give_up(self, trouble: str) -> None:
        with self._lock:
            self._given_up = True
            self._note(trouble)
            self._queue.clear()
            self._queued_bytes = 0

    def _post_all(self) -> None:
        project: str | None = None
        last = False
        while not last:
            groups, last = self._take()
            if groups or (last and self._ends_without_results()):
                project = project or self._insist(self._server.project_id)
                self._post(project, groups, last)
            elif not last and self._uploads:
                self._upload(*self._uploads.popleft())
        # Results come first: a large file must not take their time at the end.
        while self._uploads:
            self._upload(*self._uploads.popleft())

    def _ends_without_results(self) -> bool:
        """A run that was begun is completed, and a shard without tests is posted: its run waits for it. No run is made
        for a session without tests that has no shard."""
        if self._settings.shard is not None:
            return self._calls == 0
        return self._settings.complete and self._run_id is not None

    def _take(self) -> tuple[list[Group], bool]:
        """Waits for a batch. Also returns whether it is the last one."""
        with self._lock:
            pause = 0 if self._uploads else max(0, self._next_post - own_monotonic())
            self._lock.wait_for(lambda: self._closing.is_set() or self._is_due(), pause)
            closing = self._closing.is_set()
            if not closing and not self._is_due() and own_monotonic() < self._next_post:
                return [], False
            # A run takes 10,000 events, and a call is up to two of them: long sessions make fewer calls.
            self._next_post = own_monotonic() + max(self._batch_seconds, (own_monotonic() - self._started) / 200)
            if self._settings.shard is not None and not closing:
                return [], False
            groups: list[Group] = []
            size = results = 0
            while self._queue and (self._settings.shard is not None or self._fits(size, results, groups)):
                group = self._queue.popleft()
                groups.append(group)
                size += group.size + len(group.encoded)
                results += len(group.encoded)
            self._queued_bytes -= size
            self._queued_results -= results
            return groups, closing and not self._queue

    def _fits(self, size: int, results: int, groups: list[Group]) -> bool:
        following = self._queue[0]
        return not groups or (
            size + following.size <= BATCH_BYTES and results + len(following.encoded) <= BATCH_RESULTS
        )

    def _post(self, project: str, groups: list[Group], last: bool) -> None:
        body = self._body(project, groups, last)
        self._calls += 1
        key = f"pytest-{self._session}-{self._calls}"
        try:
            posted = self._insist(lambda: self._server.post_run(body, key))
        except Refused as error:
            if error.status != 400:
                raise
            self.note(str(error))
            # One wrong result refuses its whole call.
            right = _without(groups, error.pointers)
            if len(right) < len(groups) and (right or (last and self._ends_without_results())):
                self._post(project, right, last)
            return
        with self._lock:
            self._run_id = posted.run_id
            self._sent += sum(len(group.encoded) for group in groups)
        self._plan_uploads(posted, groups)

    def _body(self, project: str, groups: list[Group], last: bool) -> bytes:
        settings = self._settings
        # In each call, because a call without it has that of the run, which another session may have made.
        metadata: dict[str, Any] = {"environment": settings.environment.pairs}
        head: dict[str, Any] = {"project_id": project, "run_key": settings.run_key, "metadata": metadata}
        if self._run_id is None:
            masker = settings.masker
            described = self._describe()
            metadata.update(described if masker is None else masker.metadata(described))
            if settings.label is not None:
                head["label"] = settings.label if masker is None else masker.text(settings.label)
        if settings.shard is not None:
            number, total, attempt = settings.shard
            head["shard"] = {"index": number, "total": total, "attempt": attempt}
        elif last and settings.complete:
            head["complete"] = True
            with self._lock:
                missing = self._added - self._sent - sum(len(group.encoded) for group in groups)
            if missing > 0:
                metadata["results_left_out"] = missing
        results = b",".join(each for group in groups for each in group.encoded)
        return encode(head)[:-1] + b',"results":[' + results + b"]}"

    def _plan_uploads(self, posted: Posted, groups: list[Group]) -> None:
        ordinal = 0
        for group in groups:
            planned: dict[int, int] = {}
            for place, attachment in group.attachments:
                planned[place] = planned.get(place, 0) + 1
                if posted.result_id_prefix is None:
                    self.note("this server does not name the results, which attachments need")
                elif planned[place] > RESULT_LIMIT:
                    self.note(f"a result has at most {RESULT_LIMIT} attachments")
                elif len(self._uploads) >= UPLOADS:
                    self.note("the attachments came faster than the server took them")
                else:
                    self._uploads.append((f"{posted.result_id_prefix}{ordinal + place}", attachment))
                    continue
                attachment.discard()
            ordinal += len(group.encoded)

    def _upload(self, result_id: str, attachment: Attachment) -> None:
        key = f"pytest-{uuid.uuid4().hex}"
        try:
            attachment.check()
            self._insist(lambda: self._server.upload(result_id, attachment, key))
        except (Refused, OSError) as error:
            self.note(f"{attachment.name}: {error}")
        else:
            with self._lock:
                self._files_sent += 1
        finally:
            attachment.discard()

    def _timeout(self) -> float:
        return max(0.1, min(_CALL_SECONDS, self._deadline - own_monotonic()))

    def _insist(self, request: Callable[[], T]) -> T:
        """Repeats a request while that can help: during the session without end, at its end until the deadline.

        Raises Refused for an answer that no repeat changes, and GaveUp.
        """
        pause = _FIRST_PAUSE
        while True:
            closing = self._closing.is_set()
            wait = pause
            try:
                return request()
            except ProjectMissing as error:
                raise GaveUp(str(error)) from error
            except Refused as error:
                if not error.transient:
                    raise
                self._last_fault = str(error)
                wait = max(pause, error.retry_after)
            # Tests replace sockets and their errors (pytest-socket), so any error may come from there and pass.
            except Exception as error:
                self._last_fault = f"no answer from {self._settings.url}: {error or type(error).__name__}"
                if closing:
                    # A server that does not answer now is not worth the wait of those who wait for pytest.
                    raise GaveUp(self._last_fault) from error
            if own_monotonic() + wait > self._deadline:
                raise GaveUp(self._last_fault)
            if closing:
                threading.Event().wait(wait)
            else:
                self._closing.wait(wait)
            pause = min(pause * 2, _LONGEST_PAUSE)


def _without(groups: list[Group], pointers: tuple[str, ...]) -> list[Group]:
    """Without those of which a result is named, for the attempts of a test are one call."""
    wrong = {int(found[1]) for pointer in pointers if (found := _RESULT.match(pointer))}
    right: list[Group] = []
    ordinal = 0
    for group in groups:
        following = ordinal + len(group.encoded)
        if wrong.isdisjoint(range(ordinal, following)):
            right.append(group)
        ordinal = following
    return right
