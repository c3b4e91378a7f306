/** Sends moves to the HTTP API, as the clients of a project would. */
import type { Answer, Api } from '../kit/client.js';
import { chosen } from '../domain/chosen.js';
import type { Item, Move } from './moves.js';

/** Runs in a row, so that a test can become broken, or stable again. */
const ROW = 21;

const recordWords = {
  passed: 'Passed',
  failed: 'Failed',
  skipped: 'Skipped',
  known_fail: 'KnownFail',
  running: 'Running',
} as const;

/** The settings of a gate. */
const gates = [
  { fail_on: 'any' },
  { fail_on: 'none', max_removed: 0 },
  { max_removed: 0 },
  { max_removed: '50%' },
  { min_tests: 2 },
  null,
];

/** What later moves may change. */
/** `messages`: failures say why, and share their causes. */
export type Made = { runs: string[]; results: Result[]; messages?: boolean };
type Result = { id: string; run: string | null; test: number };

export async function perform(api: Api, project: string, moves: readonly Move[]): Promise<Made> {
  const made: Made = { runs: [], results: [] };
  for (const [n, move] of moves.entries()) await performOne(api, project, { n, move, made });
  return made;
}

type Step = { n: number; move: Move; made: Made };

export async function performOne(api: Api, project: string, { n, move, made }: Step): Promise<void> {
  const { kind, which, items, shard } = move;
  const [run, result] = [made.runs[which % made.runs.length], chosen(made.results, which)];
  const [first] = items as [Item, ...Item[]];
  switch (kind) {
    case 'run':
      return submit(api, project, { move, made, more: {} });
    case 'shard':
      return submit(api, project, { move, made, more: { run_key: `sharded ${which % 5 === 0}`, shard } });
    case 'call':
      return submit(api, project, {
        move,
        made,
        more: { run_key: `plain ${which % 2}`, complete: which % 3 > 0 },
      });
    case 'row':
      for (let each = 0; each < ROW; each += 1) {
        const commit = `row ${n} ${each}`;
        await submit(api, project, { move: { ...move, commit, items: [first] }, made, more: {} });
      }
      return;
    case 'alone':
      return record(api, project, { move, made, run: null, more: {} });
    case 'settings':
      taken(await api.patch(`/v1/projects/${project}`, { gate: gates[which % gates.length] }));
      return;
    default:
  }
  if (run === undefined || result === undefined) return;
  switch (kind) {
    case 'add':
      return record(api, project, { move, made, run, more: { attempt: first.attempt } });
    case 'retry':
      return retry(api, project, { move, made, result });
    case 'turns':
      return takeTurns(api, project, { move, made, result });
    case 'correct':
      return correct(api, made, result, first);
    case 'move':
      return change(api, result, { metadata: metadataOf({ environment: move.environment }) });
    case 'delete':
      taken(await api.delete(`/v1/test/result/${result.id}`));
      return;
    case 'say':
      taken(
        await api.patch(`/v1/test-runs/${run}`, { baseline: (['fit', 'unfit', null] as const)[which % 3] }),
      );
      return;
    case 'again':
      taken(await api.post(`/v1/test/run/${run}`, { status: which % 2 === 0 ? 'Running' : 'Completed' }));
  }
}

async function submit(
  api: Api,
  project_id: string,
  { move, made, more }: { move: Move; made: Made; more: object },
): Promise<void> {
  const { branch, commit, tool, environment, items } = move;
  const results = items.map(({ test, status, attempt, environment: own }) => ({
    name: nameOf(test),
    status,
    attempt,
    ...(status === 'failed' && messageOf(made, test)),
    ...(own !== null && { metadata: metadataOf({ environment: own }) }),
  }));
  const metadata = metadataOf({ branch, commit, tool, environment });
  const data = taken(await api.post('/v1/test-runs', { project_id, metadata, results, ...more }))?.data;
  if (data === undefined) return;
  if (!made.runs.includes(data.id)) made.runs.push(data.id);
  for (const [n, { test }] of items.entries()) {
    const id = `${data.result_id_prefix}${n}`;
    if (!made.results.some((one) => one.id === id)) made.results.push({ id, run: data.id, test });
  }
}

async function record(
  api: Api,
  project_id: string,
  { move, made, run, more }: { move: Move; made: Made; run: string | null; more: object },
): Promise<void> {
  const [{ test, status }] = move.items as [Item];
  const body = {
    project_id,
    test_name: nameOf(test),
    status: recordWords[status],
    ...(status === 'failed' && messageOf(made, test)),
    metadata:
      run === null
        ? metadataOf({ branch: move.branch, environment: move.environment })
        : metadataOf(move.items[0]!.environment === null ? {} : { environment: move.items[0]!.environment }),
    ...(run !== null && { test_run_id: run }),
    ...more,
  };
  const answer = taken(await api.post('/v1/test/result/', body));
  if (answer !== null) made.results.push({ id: answer.test_result_id, run, test });
}

type OnResult = { move: Move; made: Made; result: Result };

async function retry(api: Api, project: string, { move, made, result }: OnResult): Promise<void> {
  if (result.run === null) return;
  const [first] = move.items as [Item];
  const retried = { ...move, items: [{ ...first, test: result.test }] };
  await record(api, project, { move: retried, made, run: result.run, more: { retry_of: result.id } });
}

/** One for each item: on the result, its retry, the retry of that, or the one before. */
async function takeTurns(api: Api, project: string, { move, made, result }: OnResult): Promise<void> {
  const line = [result];
  for (const item of move.items) {
    const of = line.at(item.environment === null ? -1 : -2) ?? result;
    if (item.attempt > 1) await correct(api, made, of, item);
    else if (item.test === 3) taken(await api.delete(`/v1/test/result/${of.id}`));
    else {
      const before = made.results.length;
      await retry(api, project, { move: { ...move, items: [item] }, made, result: of });
      line.push(...made.results.slice(before));
    }
  }
}

async function correct(api: Api, made: Made, result: Result, { status, test }: Item): Promise<void> {
  return change(api, result, {
    status: recordWords[status],
    ...(status === 'failed' && messageOf(made, test)),
  });
}

async function change(api: Api, { id }: Result, changes: object): Promise<void> {
  taken(await api.post(`/v1/test/result/${id}`, changes));
}

export function nameOf(test: number): string {
  return `test ${test}`;
}

/** Two tests have one cause. */
function messageOf({ messages = false }: Made, test: number): { error_message?: string } {
  return messages ? { error_message: `It broke: ${'abb'.at(test) ?? 'c'}` } : {};
}

/** Without what is not given. */
function metadataOf(given: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** The body; null where the move does not go with what is there: another result was retried, a result is gone, a shard has come. */
function taken({ status, body, text }: Answer): any {
  if (status === 400 || status === 404 || status === 409) return null;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}
