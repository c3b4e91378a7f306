/**
 * All entries of the tests of a bucket, in blocks, in the order in which they came. A document for each entry took longer to
 * write than all else that a result changes. A block is written to until it is full.
 */
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
  type OpenCollection,
} from '../../src/domain/projection.js';
import {
  branchIn,
  entryAfter,
  environmentHashIn,
  isEntryOf,
  packEntry,
  resultIdInEntry,
  statusOf,
  withOrigin,
  type Origins,
} from '../../src/domain/test-history/packed-entry.js';
import type { FinalStatus, TestEntry } from '../../src/domain/test-history/test-entry.js';
import { digit, digitAt } from '../../src/domain/test-history/z85.js';
import { branchState } from './branches.js';
import { rememberingLast, type Place } from './buckets.js';
import { testBucketDocuments } from './test-buckets.js';

/** By the bucket of the tests, `#` and the number of the block. */
export type HistoryBlockDocument = {
  origins: Origins;
  /** One after the other: a digit for the place of the test in its bucket, and the packed entry. */
  entries: string;
  /** By place in the bucket: the number of the block before this one that has entries of the test; absent if there is none. */
  before: Readonly<Record<string, number>>;
  /** The same by place, `=` and branch, or by place and `#` for entries without a branch. */
  before_on: Readonly<Record<string, number>>;
};

/** `environment`: its hash (`hashOf`); null without one. */
export type ListedEntry = {
  result_id: string;
  branch: string | null;
  environment: string | null;
  status: FinalStatus;
};

/**
 * A block with this many characters of entries, or with this many origins, is full. Deletions and corrections take entries
 * out, but no origins, and an entry names its origin by two digits.
 */
const FULL = { characters: 12_000, origins: 1_000 };

type OpenBlock = {
  origins: Origins;
  entries: string;
  before: Record<string, number>;
  before_on: Record<string, number>;
};

export const historyBlockDocuments: OpenCollection<HistoryBlockDocument, OpenBlock> = {
  ...collection<HistoryBlockDocument>({ name: 'history_blocks', ids: 'project', indexes: [] }),
  open: (stored) => {
    const { origins, entries, before, before_on } = stored ?? emptyBlock;
    return { origins, entries, before: { ...before }, before_on: { ...before_on } };
  },
};

const emptyBlock: HistoryBlockDocument = { origins: [], entries: '', before: {}, before_on: {} };

export const blockId = rememberingLast((bucket: string, n: number) => `${bucket}#${n}`);
const nextBlockId = rememberingLast((bucket: string, n: number) => `${bucket}#${n + 1}`);

/** The block that takes the next entry of a bucket: the newest one, or the one after it. */
export function nextBlocks(documents: ReadableDocuments, { bucket }: Place): DocumentRef[] {
  const n = newestBlock(documents, bucket);
  return n === null
    ? [historyBlockDocuments.atNew(blockId(bucket, 0))]
    : [historyBlockDocuments.at(blockId(bucket, n)), historyBlockDocuments.atNew(nextBlockId(bucket, n))];
}

/** Each test knows the newest block with an entry of its own. */
function newestBlock(documents: ReadableDocuments, bucket: string): number | null {
  const { states } = documents.open(testBucketDocuments, bucket);
  let newest: number | null = null;
  // Each result asks twice: an iterator for each state would be most of what it leaves to the garbage collector.
  for (let slot = 0; slot < states.length; slot += 1) {
    const block = states[slot]?.block ?? null;
    if (block !== null && (newest === null || block > newest)) newest = block;
  }
  return newest;
}

/** The numbers of the newest blocks that have entries of a test; null where there are none. */
type NewestBlocks = { ofTest: number | null; onBranch: number | null };

/** Lists an entry. `newest`: as they were before. Returns the number of its block. */
export function listEntry(
  documents: Documents,
  { bucket, slot }: Place,
  entry: TestEntry,
  { ofTest, onBranch }: NewestBlocks,
): number {
  const newest = newestBlock(documents, bucket) ?? 0;
  const last = documents.open(historyBlockDocuments, blockId(bucket, newest));
  const isNew = last.entries.length >= FULL.characters || last.origins.length >= FULL.origins;
  const n = isNew ? newest + 1 : newest;
  const block = documents.edit(historyBlockDocuments, blockId(bucket, n));
  const { origins, origin } = withOrigin(block.origins, entry);
  block.origins = origins;
  block.entries += digit(slot) + packEntry(entry, origin);
  if (ofTest !== null && ofTest !== n) block.before[slot] = ofTest;
  if (onBranch !== null && onBranch !== n) block.before_on[placeOn(slot, entry.branch)] = onBranch;
  return n;
}

/** The blocks up to that with the entry of a result, from the newest one on its branch: each is there for the next step. */
export function* blocksUntil(
  documents: ReadableDocuments,
  place: Place,
  branch: string | null,
  resultId: string,
): Generator<string> {
  for (let n = branchState(documents, place, branch).block; n !== null;) {
    const id = blockId(place.bucket, n);
    yield id;
    const block = documents.open(historyBlockDocuments, id);
    if (withoutEntryOf(block, place.slot, resultId) !== null) return;
    n = blockBefore(block, place.slot, branch);
  }
}

/** Takes the entry of a result from the list. */
export function unlistEntry(
  documents: Documents,
  place: Place,
  branch: string | null,
  resultId: string,
): void {
  const last = [...blocksUntil(documents, place, branch, resultId)].at(-1);
  if (last === undefined) return;
  const left = withoutEntryOf(documents.open(historyBlockDocuments, last), place.slot, resultId);
  if (left !== null) documents.edit(historyBlockDocuments, last).entries = left;
}

/** The entries of a block without that of a result; null where it has none. */
function withoutEntryOf(block: HistoryBlockDocument, slot: number, resultId: string): string | null {
  const isIts = isEntryOf(block.origins, resultId);
  for (const { at, after } of placesIn(block, slot)) {
    if (!isIts(block.entries.slice(at + 1, after))) continue;
    return block.entries.slice(0, at) + block.entries.slice(after);
  }
  return null;
}

/** The entries of a test, newest first; with `branch`, those on it. */
export function entriesInBlock(
  block: HistoryBlockDocument,
  slot: number,
  branch: string | null | undefined,
): ListedEntry[] {
  const { origins } = block;
  const found: ListedEntry[] = [];
  for (const { at, after } of placesIn(block, slot)) {
    const entry = block.entries.slice(at + 1, after);
    const on = branchIn(origins, entry);
    if (branch !== undefined && on !== branch) continue;
    found.push({
      result_id: resultIdInEntry(origins, entry),
      branch: on,
      environment: environmentHashIn(origins, entry),
      status: statusOf(entry),
    });
  }
  return found.toReversed();
}

/** The number of the block before that has entries of the test; with `branch`, of the test on it. */
export function blockBefore(
  { before, before_on }: HistoryBlockDocument,
  slot: number,
  branch: string | null | undefined,
): number | null {
  return (branch === undefined ? before[slot] : before_on[placeOn(slot, branch)]) ?? null;
}

function placeOn(slot: number, branch: string | null): string {
  return branch === null ? `${slot}#` : `${slot}=${branch}`;
}

/** Where the entries of a test begin and end, each with the digit of its place before it. */
function* placesIn(
  { entries }: HistoryBlockDocument,
  slot: number,
): Generator<{ at: number; after: number }> {
  for (let at = 0; at < entries.length;) {
    const after = entryAfter(entries, at + 1);
    if (digitAt(entries, at) === slot) yield { at, after };
    at = after;
  }
}
