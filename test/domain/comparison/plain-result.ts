import type { RunResult } from '../../../src/domain/comparison/packed-line.js';

/** A result of a run that passed, and of which nothing else is to be said. */
export const plainResult: Omit<RunResult, 'test' | 'result_id'> = {
  group: '',
  status: 'Passed',
  superseded: false,
  known: false,
  known_elsewhere: false,
  flaky: false,
  slower: false,
  ordinal: 0,
  duration_ms: null,
};
