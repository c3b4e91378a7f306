/** A client that sends random writes, one after another, and compares each answer with the record it expects. */
import { expect } from 'chai';
import type { Answer, Api } from '../../kit/client.js';
import { givenRun } from '../../http/given.js';
import { now, settle, type Fields, type Result, type Run, type Write } from '../expected-records.js';
import { nextWrite, type Planner } from './next-write.js';
import type { Random } from '../seeded-random.js';

export type Writer = Planner & {
  /** The results and runs that it wrote to in this round. */
  touched: Set<Result | Run>;
  /**
   * The last write with a key, and its answer. A repeat gets the same answer for 24 h, unless the result that it tells of
   * is deleted.
   */
  keyed: { thing: Result | Run; write: Write; answer: Pick<Answer, 'status' | 'text'> } | null;
  writes: number;
};

/** A 503: a server that ours needs is away. The write may or may not have been done. */
export class Unavailable extends Error {
  constructor(readonly answer: Answer) {
    super(`503: ${answer.text}`);
  }
}

export function newWriter(name: string, random: Random, project: string, shared: readonly Run[]): Writer {
  const own = { runs: [], results: [], touched: new Set<Result | Run>(), keyed: null };
  return { name, random, project, shared, ...own, made: 0, writes: 0 };
}

/** Creates a run that all writers share. */
export async function sharedRun(api: Api, project: string, mark: string): Promise<Run> {
  const record = await givenRun(api, project, { label: mark, metadata: { mark } });
  return {
    kind: 'run',
    shared: true,
    mark,
    id: record.test_run_id,
    record,
    pending: null,
    results: [],
    completions: 0,
    uncertain: 0,
  };
}

/**
 * Sends one random write. @throws TypeError when the server has ended, Unavailable when it answers 503, AssertionError
 * when the answer is wrong.
 */
export async function writeOnce(writer: Writer, api: Api): Promise<void> {
  const { thing, method, path, body, after, effect } = nextWrite(writer);
  writer.writes += 1;
  writer.touched.add(thing);
  const key = method === 'POST' && writer.random.chance(0.4) ? `${writer.name}-${writer.writes}` : null;
  const write: Write = { method, path, key, ...(body !== undefined && { body }) };
  if (method === 'DELETE' && writer.keyed?.thing === thing) writer.keyed = null;
  thing.pending = { write, after, sentAt: now(), acknowledged: false, ...(effect && { effect }) };
  await take(writer, thing, await send(api, write), api);
}

/** After a kill: sends the write that was under way again where it has a key; else looks whether it was done. */
export async function resume(writer: Writer, api: Api): Promise<void> {
  if (writer.keyed !== null) {
    const { status, text } = await send(api, writer.keyed.write);
    expect({ status, text }, 'the same answer as before the kill').to.deep.equal(writer.keyed.answer);
  }
  for (const thing of writer.touched) {
    if (thing.pending === null) continue;
    const { write } = thing.pending;
    if (write.key !== null) await take(writer, thing, await sendWhenFree(api, write), api);
    else if (thing.kind === 'run' && thing.shared) sharedOf(writer, thing).uncertain += 1;
    else settle(thing, await find(writer, thing, api));
  }
}

/** Forgets creations that were never answered and did not happen. Call it when all writers have resumed. */
export function forget(writer: Writer): void {
  const known = ({ id }: Result | Run) => id !== null;
  writer.runs = writer.runs.filter(known);
  writer.results = writer.results.filter(known);
  for (const run of [...writer.runs, ...writer.shared]) run.results = run.results.filter(known);
  writer.touched = new Set([...writer.touched].filter(known));
}

/** The record of a run or a result as a GET shows it, null where there is none. */
export async function see(api: Api, { kind, id }: Pick<Result | Run, 'kind' | 'id'>): Promise<Fields | null> {
  const { status, body, text } = available(await api.get(`/v1/test/${kind}/${id}`));
  if (status === 404) return null;
  expect(status, text).to.equal(200);
  return body as Fields;
}

/** All pages of a list of Surface A. */
export async function listed(api: Api, path: string): Promise<Fields[]> {
  const items: Fields[] = [];
  for (let token: string | null = ''; token !== null;) {
    const page: Answer = available(await api.get(`${path}&page_size=100${token && `&page_token=${token}`}`));
    expect(page.status, page.text).to.equal(200);
    items.push(...page.body.items);
    token = page.body.page_token;
  }
  return items;
}

async function take(writer: Writer, thing: Result | Run, answer: Answer, api: Api): Promise<void> {
  const { write } = thing.pending!;
  const said = `${write.method} ${write.path}: ${answer.status} ${answer.text}`;
  expect(answer.status, said).to.be.oneOf([200, 204]);
  thing.pending!.acknowledged = true;
  const { status, text } = answer;
  if (write.key !== null) writer.keyed = { thing, write, answer: { status, text } };
  if (thing.kind === 'run' && thing.shared) {
    sharedOf(writer, thing).completions += 1;
    thing.pending = null;
  } else if (write.method === 'DELETE') settle(thing, null);
  else settle(thing, answer.status === 204 ? await see(api, thing) : answer.body);
}

function sharedOf({ shared }: Writer, { id }: Run): Run {
  return shared.find((run) => run.id === id)!;
}

async function send(api: Api, { method, path, body, key }: Write): Promise<Answer> {
  if (method === 'DELETE') return available(await api.delete(path));
  return available(await api.post(path, body, key === null ? {} : { 'Idempotency-Key': key }));
}

function available(answer: Answer): Answer {
  if (answer.status === 503) throw new Unavailable(answer);
  return answer;
}

/** After a crash the key is free again within 10 s (docs/api.md, section 1). */
async function sendWhenFree(api: Api, write: Write): Promise<Answer> {
  for (const end = performance.now() + 10_000; ;) {
    const answer = await send(api, write);
    if (answer.status !== 409 || answer.body.code !== 'in_flight' || performance.now() > end) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The record of a run or result whose last write was never answered, null where there is none. */
async function find({ project }: Writer, thing: Result | Run, api: Api): Promise<Fields | null> {
  if (thing.id !== null) return see(api, thing);
  // A result without a run is in no list, and without an answer its id is not known.
  if (thing.kind === 'result' && thing.run === null) return null;
  const within =
    thing.kind === 'run'
      ? `/v1/test/run/?project_id=${project}`
      : `/v1/test/result/?test_run_id=${thing.run!.id}`;
  const found = (await listed(api, within)).filter(({ metadata }) => metadata.mark === thing.mark);
  expect(found.length, `found of ${thing.mark}`).to.be.at.most(1);
  return found[0] ?? null;
}
