/**
 * What is left of the events of a purged run or project: their places, ids, instants and fixed words. A mark beside the data
 * says so, and folds leave these events out, as if nothing of it had ever been.
 */
import type { EventMeta, RecordedEvent } from '../event.js';
import type { Decider, Happened } from '../decider.js';
import type { EventType } from '../events.js';
import { purged } from '../life.js';
import { CHUNK_TYPE } from '../runs/item-chunk.js';
import { descriptionFields } from '../runs/run-description.js';
import { MASK } from './mask.js';

type Fields = Readonly<Record<string, unknown>>;

/** The texts of users in the data, by type. All other fields are ids, instants, numbers or fixed words. */
const texts: { [T in EventType | typeof CHUNK_TYPE]?: readonly string[] } = {
  ProjectCreated: ['name', 'description', 'default_branch'],
  ProjectDescribed: ['name', 'description', 'default_branch', 'repo_url'],
  TrustCreated: ['issuer', 'audience', 'claims'],
  RunCreated: ['run_key', ...descriptionFields],
  RunDescribed: descriptionFields,
  // Whoever knows the items would find them by it.
  ItemsSubmitted: ['items_hash'],
  ResultCreated: ['test_name', 'metadata', 'run_branch', 'run_commit'],
  ResultSubmitted: ['test_name', 'error_message', 'metadata', 'run_branch', 'run_commit'],
  [CHUNK_TYPE]: ['test_name', 'error_message', 'metadata', 'run_branch', 'run_commit'],
  ResultFinished: ['test_name', 'error_message', 'metadata'],
  ResultUpdated: ['test_name', 'error_message', 'metadata'],
  ArtifactCreated: ['label', 'test_step', 'metadata'],
  KnownFailureSet: ['test_name', 'reason', 'branch', 'environment'],
  KnownFailureEnded: ['test_name'],
  CauseChanged: ['owner', 'note', 'ticket'],
  TestRecovered: ['test_name', 'branch', 'environment'],
  TestBecameFlaky: ['test_name', 'environment'],
  TestBecameBroken: ['test_name', 'environment'],
  TestStabilised: ['test_name', 'environment'],
};

/** Those for which no other text may stand. */
const NULLED = new Set(['items_hash', 'repo_url', 'ticket']);

/** What lies beside the data of items, in their chunk. */
const BESIDE = ['group', 'contents', 'test_id'] as const;

/** Whether an event is of a run or project among these. An act says it in its details. */
export function isOf({ run_id, project_id, details }: Fields, ids: ReadonlySet<string>): boolean {
  if (ids.has(run_id as string) || ids.has(project_id as string)) return true;
  return typeof details === 'object' && details !== null && isOf(details as Fields, ids);
}

export function isPurged({ meta }: { meta: Pick<EventMeta, 'facts'> }): boolean {
  return meta.facts?.['purged'] === true;
}

/** The same event where it is so already. */
export function purgedEvent<E extends RecordedEvent>(event: E): E {
  if (isPurged(event)) return event;
  // Where somebody acted from is for the audit, which goes on telling it.
  const { client } = event.meta.facts ?? {};
  const facts = { purged: true, ...(client !== undefined && { client }) };
  const data = withoutTexts(event.type, event.data as Fields);
  return { ...event, data, meta: { ...event.meta, facts } };
}

function withoutTexts(type: string, data: Fields): Fields {
  if (type === 'ActRecorded') return { ...data, details: withoutBranch(data['details'] as Fields) };
  const names = texts[type as keyof typeof texts];
  if (names === undefined) return data;
  const left: Record<string, unknown> = { ...data };
  for (const name of names)
    if (name in data) left[name] = NULLED.has(name) ? null : name === 'claims' ? {} : hidden(data[name]);
  if (type !== CHUNK_TYPE) return { ...left, contents: 'deleted' };
  for (const name of BESIDE) delete left[name];
  return left;
}

/** The one text of a user that an act has. */
function withoutBranch(details: Fields): Fields {
  return 'branch' in details ? { ...details, branch: MASK } : details;
}

/** A column of a chunk is a list. What was null says that it was never set. */
function hidden(value: unknown): unknown {
  if (typeof value === 'string') return MASK;
  if (Array.isArray(value)) return value.map(hidden);
  return null;
}

/** The state after an event, in which nothing of a purged thing is left: it takes no command, whatever its stream says. */
export function evolved<S, C, T extends EventType>(
  decider: Decider<S, C, T>,
  state: S,
  event: Happened<T>,
): S {
  return isPurged(event as { meta: Pick<EventMeta, 'facts'> }) ? (purged as S) : decider.evolve(state, event);
}
