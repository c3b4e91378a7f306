/**
 * Events as they are shown after a redaction. Contents are no part of it: they lie apart, and go by their hashes
 * (docs/decisions/041). Names, labels and the metadata of runs are in the events themselves.
 */
import { logPosition, type Position, type RecordedEvent } from '../event.js';
import { CHUNK_TYPE, type ItemChunk } from '../runs/item-chunk.js';
import { runDescription } from '../runs/run-description.js';
import { testIdOf } from '../test-history/test.js';
import { maskedValue, redactedDescription } from './mask.js';
import { maskFieldsOf, type MaskedFields } from './mask-fields.js';
import { isOf, purgedEvent } from './purged.js';
import { maskedField, textsOf } from './user-texts.js';

/**
 * What is masked in the events up to a position: later ones may say it anew. `purged`: ids of runs and projects. `fields`: whole
 * fields, by the id of their thing.
 */
export type Rule = { up_to: Position } & (
  | { run: string }
  | { text: string; project: string | null }
  | { purged: ReadonlySet<string> }
  | { fields: MaskedFields }
);

type Fields = Record<string, unknown>;

/** The same event where no rule finds anything. */
export function maskEvent<E extends RecordedEvent>(event: E, rules: readonly Rule[]): E {
  const at = logPosition(event.position);
  return rules.reduce((now, rule) => (at > rule.up_to ? now : maskBy(now, rule)), event);
}

/** The fields of an event in which a rule finds something. */
export function fieldsMasked(event: RecordedEvent, rule: Rule): string[] {
  const masked = maskEvent(event, [rule]);
  if (masked === event) return [];
  const pairs = [
    [event.data, masked.data],
    [event.meta.facts ?? {}, masked.meta.facts ?? {}],
  ] as [Fields, Fields][];
  const names = pairs.flatMap(([before, after]) =>
    textsOf(event.type).filter((name) => before[name] !== after[name]),
  );
  return [...new Set(names)];
}

function maskBy<E extends RecordedEvent>(event: E, rule: Rule): E {
  const data = event.data as Fields;
  if ('purged' in rule) return isOf(data, rule.purged) ? purgedEvent(event) : event;
  if ('run' in rule) return maskRun(event, rule.run);
  if ('fields' in rule) return withMasked(event, maskFieldsOf(event, rule.fields), event.meta.actor);
  if (rule.project !== null && data['project_id'] !== rule.project) return event;
  return maskText(event, rule.text);
}

function maskRun<E extends RecordedEvent>(event: E, run: string): E {
  const { type, data } = event as { type: string; data: Fields };
  if (data['run_id'] !== run) return event;
  if (type !== 'RunCreated' && type !== 'RunDescribed') return event;
  const left = redactedDescription(runDescription(data));
  // An event has only the fields that it sets.
  const fields = Object.entries(left).filter(([name]) => Object.hasOwn(data, name));
  return { ...event, data: { ...data, ...Object.fromEntries(fields) } };
}

function maskText<E extends RecordedEvent>(event: E, text: string): E {
  const { facts } = event.meta;
  const names = textsOf(event.type);
  const masked = (fields: Fields) => maskedFields(fields, names, text);
  const after = { data: masked(event.data as Fields), facts: facts && masked(facts) };
  // Whoever made a key or a run is named for a build.
  return withMasked(event, after, maskedValue(event.meta.actor, text));
}

/** `after`: its data and facts as they are now. The same event where nothing is masked. */
function withMasked<E extends RecordedEvent>(
  event: E,
  after: { data: Fields; facts: Fields | undefined },
  actor: string,
): E {
  const data = event.data as Fields;
  const { facts } = event.meta;
  if (after.data === data && after.facts === facts && actor === event.meta.actor) return event;
  const isRenamed =
    after.data['test_name'] !== data['test_name'] || after.facts?.['test_name'] !== facts?.['test_name'];
  const own = isRenamed && event.type !== CHUNK_TYPE ? testIds(data, facts) : undefined;
  const next = { ...after.facts, ...own };
  const meta = { ...event.meta, actor, ...(Object.keys(next).length > 0 && { facts: next }) };
  const masked = event.type === CHUNK_TYPE && isRenamed ? withTestIds(after.data, data) : after.data;
  return { ...event, data: masked, meta };
}

function maskedFields(fields: Fields, names: readonly string[], text: string): Fields {
  const changed = names
    .filter((name) => name in fields)
    .map((name) => [name, maskedField(name, fields[name], text)] as const)
    .filter(([name, value]) => value !== fields[name]);
  return changed.length === 0 ? fields : { ...fields, ...Object.fromEntries(changed) };
}

/** The id of a test was made from its name, and stays. */
function testIds(data: Fields, facts: Fields | undefined): { test_id?: string } {
  const known = facts?.['test_id'];
  if (typeof known === 'string') return { test_id: known };
  const name = data['test_name'] ?? facts?.['test_name'];
  const project = data['project_id'];
  return typeof name === 'string' && typeof project === 'string' ? { test_id: testIdOf(project, name) } : {};
}

function withTestIds(masked: Fields, before: Fields): Fields {
  const chunk = before as unknown as ItemChunk;
  const { count, project_id, test_name, test_id = null } = chunk;
  const names = masked['test_name'] as ItemChunk['test_name'];
  const at = <T>(column: readonly T[] | T, n: number): T =>
    Array.isArray(column) ? (column as T[])[n]! : (column as T);
  const ids = Array.from({ length: count }, (_, n) => {
    const known = at<string | null>(test_id, n);
    if (known !== null) return known;
    return at(names, n) === at(test_name, n) ? null : testIdOf(project_id, at(test_name, n));
  });
  return { ...masked, test_id: ids };
}
