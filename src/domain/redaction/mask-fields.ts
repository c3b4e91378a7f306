/** Masks whole fields of some things, where only ids and names of fields say what was redacted (`testledger restore`). */
import type { RecordedEvent } from '../event.js';
import { itemId } from '../ids.js';
import { parseStreamName } from '../event.js';
import { isChunk, itemIn, type ItemChunk } from '../runs/item-chunk.js';
import { MASK } from './mask.js';
import { textsOf } from './user-texts.js';

type Fields = Readonly<Record<string, unknown>>;

/** The names of the fields, by the id of the thing. */
export type MaskedFields = ReadonlyMap<string, ReadonlySet<string>>;

type Thing = { type: 'artifact' | 'result' | 'run' | 'project' | 'event'; id: string };

/** What an event is about. */
export function thingOf({ id, data }: Pick<RecordedEvent, 'id' | 'data'>): Thing {
  const ids = data as Partial<Record<'artifact_id' | 'result_id' | 'run_id' | 'project_id', string | null>>;
  if (ids.artifact_id) return { type: 'artifact', id: ids.artifact_id };
  if (ids.result_id) return { type: 'result', id: ids.result_id };
  if (ids.run_id) return { type: 'run', id: ids.run_id };
  return ids.project_id ? { type: 'project', id: ids.project_id } : { type: 'event', id };
}

/** Its data and facts; the same ones where no field is masked. */
export function maskFieldsOf(
  event: RecordedEvent,
  masked: MaskedFields,
): { data: Fields; facts: Fields | undefined } {
  const data = event.data as Fields;
  const { facts } = event.meta;
  if (isChunk(event)) return { data: maskItems(event.data, parseStreamName(event.stream).id, masked), facts };
  const names = masked.get(thingOf(event).id);
  if (names === undefined) return { data, facts };
  const own = textsOf(event.type).filter((name) => names.has(name));
  return { data: without(data, own), facts: facts && without(facts, own) };
}

function without(fields: Fields, names: readonly string[]): Fields {
  const found = names.filter((name) => fields[name] != null && fields[name] !== MASK);
  if (found.length === 0) return fields;
  return { ...fields, ...Object.fromEntries(found.map((name) => [name, hidden(name, fields[name])])) };
}

/** In the facts of a result, they say where it ran: a fold needs them. */
const PLACES: ReadonlySet<string> = new Set(['entry', 'former']);
const TEXTS: ReadonlySet<string> = new Set(['branch', 'commit', 'owner']);

function hidden(field: string, value: unknown): unknown {
  if (typeof value === 'string') return MASK;
  // Without any, they would let in what they kept out.
  if (field === 'claims') return { [MASK]: MASK };
  if (field === 'filter' || field === 'details') return textsHidden(value);
  if (!PLACES.has(field)) return null;
  const { tags: _, ...place } = value as Fields;
  const entries = Object.entries(place).map(([name, each]) => [
    name,
    name === 'environment' ? '' : TEXTS.has(name) && each !== null ? MASK : each,
  ]);
  return Object.fromEntries(entries);
}

/** Ids and fixed words stay. */
function textsHidden(described: unknown): unknown {
  const entries = Object.entries(described as Fields).map(([name, value]) => {
    if (Array.isArray(value)) return [name, [MASK]];
    return [name, name === 'branch' && value !== null ? MASK : value];
  });
  return Object.fromEntries(entries);
}

const COLUMNS = ['test_name', 'error_message', 'metadata'] as const;

function maskItems(chunk: ItemChunk, submission: string, masked: MaskedFields): Fields {
  const names = Array.from({ length: chunk.count }, (_, n) =>
    masked.get(itemId(submission, chunk.first + n)),
  );
  if (names.every((each) => each === undefined)) return chunk;
  const left: Record<string, unknown> = { ...chunk };
  for (const column of COLUMNS) {
    if (!names.some((each) => each?.has(column))) continue;
    left[column] = names.map((each, n) => {
      const value = itemIn(chunk, submission, n)[column];
      return each?.has(column) ? hidden(column, value) : value;
    });
  }
  for (const shared of ['run_branch', 'run_commit'] as const)
    if (chunk[shared] !== null && names.some((each) => each?.has(shared))) left[shared] = MASK;
  return left;
}
