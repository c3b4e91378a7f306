/** The messages of webhooks (docs/api.md, section 5.1). Their records are those of Surface A, as they stood at the event. */

import type {
  Comparison,
  Delivery,
  FailureGroup,
  ProjectRecord,
  ResultRecord,
  RunRecord,
} from './api.generated.js';

/** One for each type that a delivery may have: a type that is missing in `DataOf` does not compile. */
export type WebhookMessage = { [Type in Delivery['type']]: Message<Type, DataOf[Type]> }[Delivery['type']];

type DataOf = {
  'test.failed': OfResult & { group: FailureGroup | null; known: boolean };
  'test.recovered': OfResult & { failure: ResultRecord };
  'test.flaky': { test: TestRecord; rule: string; evidence: string[]; project: ProjectRecord };
  'run.completed': CompletedRun;
  'webhook.ping': { webhook_id: string };
};

/** `id` is the same each time the message is sent. */
type Message<Type extends string, Data> = {
  id: string;
  type: Type;
  timestamp: string;
  /** `metadata_omitted` has the pointers of metadata that had no room and are null. */
  data: Data & { metadata_omitted?: string[] };
};

type OfResult = { result: ResultRecord; run: RunOfMessage | null; project: ProjectRecord };

type CompletedRun = {
  run: RunOfMessage;
  /** 1 for the first completion of the run, 2 for the next one. */
  completion: number;
  project: ProjectRecord;
  gate: 'passed' | 'failed';
  comparison: Comparison;
};

/** Messages do not show the key of a run. */
type RunOfMessage = Omit<RunRecord, 'run_key'>;
type TestRecord = { id: string; name: string; project_id: string };
