/**
 * What the publisher folds, in one pass and with one checkpoint: the history of each test, and every message that
 * webhooks may be sent. Nobody's GET but those of tests waits for it.
 */
import type { Instant, Position } from '../src/domain/event.js';
import type { Message } from '../src/domain/message.js';
import type { ProjectionSpec } from '../src/domain/projection.js';
import type { StatusWord } from '../src/domain/result.js';
import type { TestHistory } from '../src/domain/test-history.js';
import type { RunCounts } from './run-counts.js';

/** By test id. */
export type TestDocument = {
  team_id: string;
  project_id: string;
  name: string;
  /** The project where the test is listed; null while it has no result that is final. */
  listed_in: string | null;
  /** How many entries its history has, of those that fell out of `history` too. */
  entries: number;
  /** How many events there are in its stream. */
  transitions: number;
  /** When the status of its newest entry was set; null where that was deleted: then the entries say it. */
  last_result_at: Instant | null;
  history: TestHistory;
};

/** By test id, `#` and the branch: a test has been seen on a branch. */
export type BranchDocument = {
  project_id: string;
  test_id: string;
  branch: string | null;
  name: string;
  /** Of the test's history, on this branch. Never 0. */
  entries: number;
  /** Results of its last entries on this branch that passed or failed, the newest first: what a pass may end. */
  verdicts: readonly Verdict[];
};

export type Verdict = { result_id: string; passed: boolean };

/** By result id: one entry of a test's history. */
export type EntryDocument = {
  result_id: string;
  test_id: string;
  branch: string | null;
  /** Where its final status was set. */
  placed: Position;
  status: Extract<StatusWord, 'passed' | 'failed' | 'skipped' | 'known_fail'>;
  at: Instant;
};

/** By event id. `outgoing`: it has targets, so it goes to the bus. */
export type MessageDocument = Omit<Message, 'body'> & { outgoing: boolean; about: About };

/** Where the log has what a message says; the counts of the run are those at its event, which no stream has. */
export type About =
  | {
      kind: 'result';
      result_id: string;
      run_id: string | null;
      project_id: string;
      counts: RunCounts | null;
      /** The result that was recovered from. */
      failure?: string;
    }
  | {
      kind: 'test';
      test: { id: string; name: string; project_id: string };
      rule: string;
      evidence: readonly string[];
    }
  | { kind: 'run'; run_id: string; project_id: string; completion: number; counts: RunCounts }
  | { kind: 'webhook'; webhook_id: string };

/** By team id: the webhooks that it has, as they stood at the position of the build. */
export type TeamWebhooksDocument = { webhooks: readonly TeamWebhook[] };

export type TeamWebhook = {
  webhook_id: string;
  events: readonly string[];
  enabled: boolean;
  /** Position of its creation or last enabling: it gets what comes after. */
  since: Position;
};

export const outbox: ProjectionSpec = {
  name: 'publication',
  version: 1,
  collections: [
    { name: 'runs', indexes: [] },
    { name: 'team_webhooks', indexes: [] },
    { name: 'tests', indexes: [['listed_in', 'name']], totals: [['listed_in']] },
    { name: 'branches', indexes: [['project_id', 'branch', 'name']], totals: [['project_id', 'branch']] },
    {
      name: 'entries',
      rarelyRead: true,
      indexes: [
        ['test_id', 'placed'],
        ['test_id', 'branch', 'placed'],
      ],
    },
    {
      name: 'messages',
      rarelyRead: true,
      indexes: [
        ['outgoing', 'place'],
        ['team_id', 'at'],
        ['team_id', 'place'],
      ],
    },
  ],
};
