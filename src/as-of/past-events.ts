/** The events of a past as the fold of the history takes them: what tests without trouble only did is their line in a run. */
import { defaultBranchOf } from '../../projections/comparisons/run-summary-documents.js';
import { MOST_LINES } from '../../projections/history/lines.js';
import type { RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { isSlower, withPass } from '../domain/comparison/slower.js';
import type { RunResult } from '../domain/comparison/packed-results.js';
import { testGroup, testKey } from '../domain/comparison/test-keys.js';
import { isChunk } from '../domain/runs/item-chunk.js';
import { historyEvent, type HistoryEvent } from '../domain/test-history/result-change.js';
import { eachItem } from '../log/item-events.js';
import type { TroubledTests } from './troubled.js';

export type PastEvents = {
  of(recorded: RecordedEvent): HistoryEvent[];
  /** False where a test ran in more environments than its history has lines: which of them it forgot, its history alone says. */
  isExact(): boolean;
};

export function pastEvents(troubled: TroubledTests): PastEvents {
  /** How long a test took on the default branch, by its key and its environment: later results are slower by it. */
  const passes = new Map<string, number[]>();
  /** By test, of those that are named. */
  const environments = new Map<string, Set<string>>();
  let most = 0;
  let branch = defaultBranchOf(null);

  function lineOf(event: HistoryEvent): RunResult {
    const { result, entry, test_id, suite } = event.change!;
    const { status, environment } = entry!;
    const { execution_time_ms: ms } = result;
    const key = `${test_id} ${environment}`;
    const known = passes.get(key) ?? [];
    if (environment !== '') most = Math.max(most, countEnvironment(test_id, environment));
    const passed = status === 'Passed' && ms !== null;
    if (passed && entry!.branch === branch) passes.set(key, withPass(known, ms));
    return {
      test: testKey(test_id, result.test_name),
      group: testGroup(suite, environment),
      status,
      superseded: false,
      known: false,
      known_elsewhere: false,
      flaky: false,
      slower: passed && isSlower(ms, known),
      // Statistics count by it, and a past has none.
      ordinal: 0,
      duration_ms: ms,
      result_id: result.test_result_id,
    };
  }

  function countEnvironment(test: string, environment: string): number {
    const known = environments.get(test);
    if (known === undefined) environments.set(test, new Set([environment]));
    return known?.add(environment).size ?? 1;
  }

  const of = (recorded: RecordedEvent): HistoryEvent[] => {
    const event = recorded as LedgerEvent;
    if (event.type === 'ProjectCreated' || event.type === 'ProjectDescribed')
      branch = event.data.default_branch ?? branch;
    if (!isChunk(recorded)) return [historyEvent(recorded)];
    return eachItem(recorded).map((item, n) => {
      const derived = historyEvent(item);
      if (troubled.has(recorded.data, n)) return derived;
      const plain: HistoryEvent = { ...derived, line: lineOf(derived) };
      delete plain.change;
      return plain;
    });
  };
  return { of, isExact: () => most < MOST_LINES };
}
