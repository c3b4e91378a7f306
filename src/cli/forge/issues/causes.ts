/** A cause of failures of the default branch, as its issue tells of it. */
import type { components } from '../../../client/index.js';
import type { Result } from '../../summary/facts.js';

export type Cause = {
  /** The id of its group. */
  group: string;
  title: string;
  /** Failing results and tests of the newest run of each tool and environment in which it fails. */
  results: number;
  tests: number;
  /** Such as `pytest, os=linux`: in which of them it fails. */
  lines: readonly string[];
  /** The newest of these runs. */
  lastSeen: { run: string; commit: string | null; at: string };
  firstSeen: components['schemas']['Moment'];
  example: Result | null;
  /** Some of the tests. */
  names: readonly string[];
};
