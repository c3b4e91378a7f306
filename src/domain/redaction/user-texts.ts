/**
 * The fields of events with texts of users, in their data and facts. All others are ids, instants or fixed words, in which a
 * text that is redacted must not be masked.
 */
import type { EventType } from '../events.js';
import { descriptionFields } from '../runs/run-description.js';
import { maskedValue, valuesMasked } from './mask.js';

/** In events of every type. */
const everywhere = [
  'name',
  'label',
  'description',
  'default_branch',
  'repo_url',
  'run_key',
  'test_name',
  'test_step',
  'error_message',
  'metadata',
  'report',
  'owner',
  'note',
  'ticket',
  'branch',
  'run_branch',
  'commit',
  'run_commit',
  'environment',
  'entry',
  'former',
  // With those of runs that are not named above.
  ...descriptionFields,
] as const;

/** In these alone: in others, a field of this name has a fixed word, or none of them has it. */
const also: { [T in EventType]?: readonly string[] } = {
  KnownFailureSet: ['reason'],
  ResultRedacted: ['reason'],
  RunRedacted: ['reason'],
  TextRedacted: ['reason'],
  WebhookCreated: ['filter'],
  WebhookChanged: ['filter'],
  TrustCreated: ['audience', 'claims'],
  ActRecorded: ['details'],
};

/** Their values have texts of users, and their fields the names that the program knows. */
const described: ReadonlySet<string> = new Set(['filter', 'details', 'report', 'entry', 'former']);

const byType = new Map<string, readonly string[]>(
  Object.entries(also).map(([type, fields]) => [type, [...everywhere, ...fields]]),
);

/** The value of such a field with the mask in every place of a text; the same value where it is in none. */
export function maskedField(field: string, value: unknown, text: string): unknown {
  return described.has(field) ? valuesMasked(value, text) : maskedValue(value, text);
}

export function textsOf(type: string): readonly string[] {
  return byType.get(type) ?? everywhere;
}
