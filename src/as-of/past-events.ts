/** The events of a past as the fold of the history takes them: what tests without trouble only did are their lines in a run. */
import { defaultBranchOf } from '../../projections/comparisons/run-summary-documents.js';
import { MOST_LINES } from '../../projections/history/lines.js';
import { itemPosition, logPosition, parseStreamName, type RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { isSlower, withPass } from '../domain/comparison/slower.js';
import type { RunResult } from '../domain/comparison/packed-line.js';
import { suiteHash, testGroup, testKey } from '../domain/comparison/test-keys.js';
import { resultEnvironment } from '../domain/environment.js';
import { itemId } from '../domain/ids.js';
import { isChunk, itemIn, metaIn, statusIn, valueIn, type ChunkEvent } from '../domain/runs/item-chunk.js';
import { historyEvent, type HistoryEvent } from '../domain/test-history/result-change.js';
import { branchOf } from '../domain/test-history/result-facts.js';
import type { FinalStatus } from '../domain/test-history/test-entry.js';
import type { TroubledTests } from './troubled.js';

export type PastEvents = {
  of(recorded: RecordedEvent): HistoryEvent[];
  /** False where a test ran in more environments than its history has lines: which of them it forgot, its history alone says. */
  isExact(): boolean;
};

/**
 * A test without trouble. `key`: of this past alone, because nothing asks for such a test by its id, which would be a hash.
 * `lines`: how long it took on the default branch, by environment: later results are slower by it.
 */
type PlainTest = { key: string; lines: PlainLine[] };
type PlainLine = { environment: string; passes: readonly number[] };

export function pastEvents(troubled: TroubledTests): PastEvents {
  /** By name. */
  const tests = new Map<string, PlainTest>();
  let most = 0;
  let branch = defaultBranchOf(null);

  function testNamed(name: string): PlainTest {
    let test = tests.get(name);
    if (test === undefined) {
      test = { key: testKey(numbered(tests.size), name), lines: [] };
      tests.set(name, test);
    }
    return test;
  }

  function plainLine({ lines }: PlainTest, environment: string): PlainLine {
    let line = lines.find((each) => each.environment === environment);
    if (line === undefined) {
      most = Math.max(most, lines.push((line = { environment, passes: [] })));
    }
    return line;
  }

  function lineOf({ data: chunk, meta }: ChunkEvent, submission: string, n: number): RunResult {
    const metadata = valueIn(chunk.metadata, n);
    const status = statusIn(chunk, n) as FinalStatus;
    const duration_ms = valueIn(chunk.execution_time_ms, n);
    const environment = resultEnvironment(meta.facts?.environment ?? '', metadata);
    const ms = status === 'Passed' ? duration_ms : null;
    const test = testNamed(valueIn(chunk.test_name, n));
    const line = plainLine(test, environment);
    const { passes } = line;
    const ofDefault = branchOf(metadata, chunk.run_branch) === branch;
    if (ms !== null && ofDefault) line.passes = withPass(passes, ms);
    return {
      test: test.key,
      group: testGroup(suiteHash(metadata), environment),
      status,
      superseded: false,
      known: false,
      known_elsewhere: false,
      flaky: false,
      slower: ms !== null && isSlower(ms, passes),
      // Statistics count by it, and a past has none.
      ordinal: 0,
      duration_ms,
      result_id: itemId(submission, chunk.first + n),
    };
  }

  function ofChunk(chunk: ChunkEvent): HistoryEvent[] {
    const submission = parseStreamName(chunk.stream).id;
    const events: HistoryEvent[] = [];
    let lines: RunResult[] = [];
    // The lines that came one after the other, as the first of their events.
    const close = (before: number) => {
      if (lines.length === 0) return;
      const { position } = itemEvent(chunk, before - 1);
      events.push({ ...itemEvent(chunk, before - lines.length), position, lines });
      lines = [];
    };
    for (let n = 0; n < chunk.data.count; n += 1) {
      if (!troubled.has(chunk.data, n)) {
        lines.push(lineOf(chunk, submission, n));
        continue;
      }
      close(n);
      events.push(historyEvent(itemEvent(chunk, n)));
    }
    close(chunk.data.count);
    return events;
  }

  const of = (recorded: RecordedEvent): HistoryEvent[] => {
    const event = recorded as LedgerEvent;
    if (event.type === 'ProjectCreated' || event.type === 'ProjectDescribed')
      branch = event.data.default_branch ?? branch;
    return isChunk(recorded) ? ofChunk(recorded) : [historyEvent(recorded)];
  };
  return { of, isExact: () => most < MOST_LINES };
}

/** The event of one item, with an id that costs nothing: that of the log is a hash. `n`: its place in the chunk. */
function itemEvent({ data: chunk, meta, stream, position: last }: ChunkEvent, n: number): LedgerEvent {
  const revision = chunk.first + n;
  const position = itemPosition(logPosition(last), revision);
  return {
    id: position,
    type: 'ResultSubmitted',
    version: chunk.item_version,
    data: itemIn(chunk, parseStreamName(stream).id, n),
    meta: metaIn(chunk, meta, n),
    stream,
    revision,
    position,
  };
}

/** In the place of the id of a test, which has no such character. */
function numbered(n: number): string {
  return `.${n.toString(36).padStart(8, '0')}`;
}
