/** Decides whether a call may write: expected revisions and repeats, by the rules of the real server. */
import { isSoftDeleted, lastRevision, type Stream } from './log-index.js';
import type { RecentIds } from './recent-ids.js';

export type Expected = number | 'none' | 'any' | 'exists';

export type Decision =
  | { kind: 'write'; undelete: boolean }
  /** All events are stored already. `last` is the revision of the last of its events. */
  | { kind: 'repeated'; last: number }
  | { kind: 'wrong version'; actual: number }
  | { kind: 'deleted' };

export type Question = {
  stream: Stream | undefined;
  metastream: Stream | undefined;
  expected: Expected;
  ids: readonly string[];
  recent: RecentIds;
};

export function decide(question: Question): Decision {
  const { stream, metastream, expected } = question;
  if (stream?.tombstone) return { kind: 'deleted' };
  if (expected === 'exists') {
    if (isSoftDeleted(stream)) return { kind: 'deleted' };
    if (lastRevision(stream) < 0 && lastRevision(metastream) < 0) return wrongVersion(stream);
  }
  return expected === 'any' || expected === 'exists'
    ? decideByRecentIds(question)
    : decideByRevision(question, expected === 'none' ? -1 : expected);
}

/** Loose: any ids of this stream that are remembered count as a repeat, in any order, with gaps. */
function decideByRecentIds({ stream, ids, recent }: Question): Decision {
  let last: number | undefined;
  for (const id of ids) {
    const known = recent.get(id);
    if (!known || known.stream !== stream) {
      return last === undefined ? write(stream) : wrongVersion(stream);
    }
    last = known.revision;
  }
  return last === undefined ? write(stream) : { kind: 'repeated', last };
}

/** Strict, and without a limit of time: the ids must be those of the events that follow the expected revision. */
function decideByRevision({ stream, ids }: Question, expected: number): Decision {
  const current = lastRevision(stream);
  if (expected > current) return wrongVersion(stream);
  if (expected === current) return write(stream);
  for (const [index, id] of ids.entries()) {
    if (stream?.events[expected + 1 + index]?.id === id) continue;
    const fresh = index === 0 && expected === -1 && isSoftDeleted(stream);
    return fresh ? write(stream) : wrongVersion(stream);
  }
  return ids.length === 0 ? wrongVersion(stream) : { kind: 'repeated', last: expected + ids.length };
}

function write(stream: Stream | undefined): Decision {
  return { kind: 'write', undelete: isSoftDeleted(stream) };
}

function wrongVersion(stream: Stream | undefined): Decision {
  return { kind: 'wrong version', actual: lastRevision(stream) };
}
