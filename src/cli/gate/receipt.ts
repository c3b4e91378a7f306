/**
 * The receipt of a gate: what it was judged by, as the server says it as of one position. Whoever has the receipt can ask
 * the server again, however much was corrected since.
 */
import { createHash } from 'node:crypto';
import type { Client, components } from '../../client/index.js';
import type { OwnGate } from '../../domain/gate/settings.js';
import { answered } from './answered.js';
import { judge } from './judge.js';

type Schemas = components['schemas'];

/** `schemas/receipt.json` describes it. */
export type Receipt = {
  version: 1;
  position: string;
  run: Pick<Schemas['TestRun'], 'id' | 'project_id' | 'label' | 'run_key' | 'branch' | 'status' | 'outcome'>;
  commit: string | null;
  baseline: Schemas['Comparison']['baseline'];
  counts: {
    results: Schemas['TestRun']['counts'];
    comparison: Schemas['Comparison']['counts'];
    tests: number;
    baseline_tests: number | null;
    removed_files: number;
  };
  /** Those that the flags of the command named. */
  flags: OwnGate;
  /** Those that were applied; null where the run was not completed. */
  settings: Schemas['TestRun']['gate_settings'];
  passed: boolean;
  reasons: readonly string[];
  /** Of all the rest, so that no number is changed by accident. */
  digest: string;
};

/** The position up to which the server has answered. @throws TestledgerError */
export async function positionNow(client: Client, run: string): Promise<string> {
  const { response } = await client.GET('/v1/test-runs/{id}', { params: { path: { id: run } } });
  return response.headers.get('X-As-Of') ?? '';
}

/** The receipt of a run as of a position. @throws TestledgerError */
export async function readReceipt(
  client: Client,
  { run: id, position, flags }: { run: string; position: string; flags: OwnGate },
): Promise<Receipt> {
  const params = { path: { id }, query: { as_of: position } };
  type Of<T> = { data: T };
  const { data: run } = (await answered<Of<Schemas['TestRun']>>(client.GET('/v1/test-runs/{id}', { params })))
    .body;
  const { data: comparison } = (
    await answered<Of<Schemas['Comparison']>>(client.GET('/v1/test-runs/{id}/comparison', { params }))
  ).body;
  const { data: project } = (
    await answered<Of<Schemas['Project']>>(
      client.GET('/v1/projects/{id}', { params: { path: { id: run.project_id } } }),
    )
  ).body;
  const { passes, codes, settings } = judge(flags, { run, comparison, project, isCurrent: true });
  const { project_id, label, run_key, branch, status, outcome } = run;
  const { baseline, counts, tests, baseline_tests, removed_files } = comparison;
  const receipt: Omit<Receipt, 'digest'> = {
    version: 1,
    position,
    run: { id, project_id, label, run_key, branch, status, outcome },
    commit: run.commit,
    baseline,
    counts: { results: run.counts, comparison: counts, tests, baseline_tests, removed_files },
    flags,
    settings: run.gate_settings === null ? null : settings,
    passed: passes,
    reasons: codes,
  };
  return { ...receipt, digest: digestOf(receipt) };
}

/** SHA-256, in hexadecimal digits, of the fields in the order of their names. */
export function digestOf({ digest: _, ...receipt }: Partial<Receipt>): string {
  return createHash('sha256')
    .update(JSON.stringify(inOrder(receipt)))
    .digest('hex');
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, each]) => [name, inOrder(each)]));
}

/** In which sentences a receipt does not follow from what the server says as of its position: none where it follows. */
export async function checkReceipt(client: Client, kept: Receipt): Promise<string[]> {
  const changed = digestOf(kept) === kept.digest ? [] : ['the file was changed: its digest is another one'];
  const said = await readReceipt(client, { run: kept.run.id, position: kept.position, flags: kept.flags });
  return [...changed, ...differencesOf({ ...kept, digest: null }, { ...said, digest: null })];
}

/** The fields in which two receipts differ, as sentences. */
function differencesOf(kept: unknown, said: unknown, path = ''): string[] {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  if (!isObject(kept) || !isObject(said)) {
    if (kept === said) return [];
    return [`${path} is ${JSON.stringify(kept)}, and the server says ${JSON.stringify(said)}`];
  }
  const names = [...new Set([...Object.keys(kept), ...Object.keys(said)])];
  const at = (value: object, name: string) => (value as Record<string, unknown>)[name];
  return names.flatMap((name) =>
    differencesOf(at(kept, name), at(said, name), path === '' ? name : `${path}.${name}`),
  );
}
