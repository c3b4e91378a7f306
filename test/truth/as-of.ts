/** The property: for any history and any moment of it, `as_of` answers what the API answered at that moment. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openToInspect } from '../../src/adapters/open.js';
import { NO_TITLE } from '../../src/domain/contents.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { givenProject } from '../http/given.js';
import type { Api } from '../kit/client.js';
import type { OwnServer } from '../kit/server.js';
import { moves, type Move } from './moves.js';
import { nameOf, performOne, type Made } from './perform.js';

/** An answer at a moment, and where the same is asked for later. */
type Recorded = { path: string; as_of: string; said: unknown };

const TESTS = 4;
/** Most of the time, a history waits for its server. */
const LANES = 4;

/** `moments`: about so many in each history. Returns how many answers of each kind were compared. */
export async function checkPast(
  server: OwnServer,
  { histories, moments, withinMs }: { histories: number; moments: number; withinMs: number },
): Promise<Record<string, number>> {
  const closing: (() => Promise<void> | void)[] = [];
  const stores = await openToInspect(server.config, (close) => void closing.unshift(close));
  const seen: Record<string, number> = {};
  try {
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        const team = await server.newTeam();
        await fc.assert(
          fc.asyncProperty(moves, fc.infiniteStream(fc.nat()), async (all, numbers) => {
            const pick = (below: number) => Number(numbers.next().value) % below;
            const head = () => stores!.log.head(team.id);
            const recorded = await recordedAnswers(team.owner, { all, pick, moments, head });
            for (const each of recorded) await expectSame(team.owner, each, seen);
          }),
          {
            numRuns: Math.ceil((histories - lane) / LANES),
            endOnFailure: true,
            interruptAfterTimeLimit: withinMs,
            markInterruptAsFailure: true,
          },
        );
      }),
    );
  } finally {
    for (const close of closing) await close();
  }
  return seen;
}

type Asking = { all: readonly Move[]; pick: Pick; moments: number; head: () => Promise<string> };
type Pick = (below: number) => number;

async function recordedAnswers(api: Api, { all, pick, moments, head }: Asking): Promise<Recorded[]> {
  const project = await givenProject(api);
  const made: Made = { runs: [], results: [], messages: true };
  const recorded: Recorded[] = [];
  const record = async () => {
    const path = somePath(project, made, pick);
    const said = await answerTo(api, path);
    const as_of = pick(3) === 0 ? await instantNow() : await head();
    recorded.push({ path, as_of, said });
  };
  // About a test that does not exist yet: by chance, all later questions are about tests that exist.
  await record();
  const each = Math.ceil(moments / all.length);
  for (const [n, move] of all.entries()) {
    await performOne(api, project, { n, move, made });
    if (pick(5) === 0) await sayKnown(api, project, pick);
    for (let more = 0; more < each; more += 1) await record();
  }
  return recorded;
}

/** No event after it has the same instant. */
async function instantNow(): Promise<string> {
  const now = Date.now();
  while (Date.now() === now) await new Promise((resolve) => void setImmediate(resolve));
  return new Date(now).toISOString();
}

async function sayKnown(api: Api, project: string, pick: Pick): Promise<void> {
  const test = `/v1/projects/${project}/tests/${testIdOf(project, nameOf(pick(TESTS)))}`;
  // The read models must have the test.
  if ((await api.get(test)).status === 404) return;
  const path = `${test}/known-failure`;
  const branch = ['main', null][pick(2)]!;
  const body = { reason: 'It is known', expires_at: new Date(Date.now() + 3_600_000).toISOString(), branch };
  if (pick(3) === 0) await api.delete(path);
  else await api.send({ method: 'PUT', path, content: JSON.stringify(body) });
}

function somePath(project: string, made: Made, pick: Pick): string {
  const run = made.runs[pick(made.runs.length || 1)];
  const baseline = made.runs[pick(made.runs.length || 1)];
  const result = made.results[pick(made.results.length || 1)]?.id;
  const test = `/v1/projects/${project}/tests/${testIdOf(project, nameOf(pick(TESTS)))}`;
  const kind = ['new_failures', 'still_failing', 'fixed', 'flaky', 'known', 'removed'][pick(6)]!;
  const paths = [
    ...(run === undefined ? [] : [run, run].flatMap((id) => ofRun(`/v1/test-runs/${id}`, kind))),
    ...(run === undefined || run === baseline
      ? []
      : [`/v1/test-runs/${run}/comparison?baseline=${baseline}`]),
    ...(result === undefined ? [] : [`/v1/test-results/${result}`, `/v1/test-results/${result}`]),
    ...['', '?branch=main', '?environment=os%3Dlinux', '/history', '/outcomes'].map((more) => test + more),
  ];
  return paths[pick(paths.length)]!;
}

function ofRun(run: string, kind: string): string[] {
  const lists = ['/results', '/results?status=failed', '/failures?details=true', '/failures?environment='];
  return [run, ...lists.map((path) => run + path), `${run}/comparison`, `${run}/comparison/${kind}`];
}

async function answerTo(api: Api, path: string): Promise<unknown> {
  const { status, body } = await api.get(path);
  expect(status, path).to.be.oneOf([200, 404]);
  return status === 200 ? body : null;
}

async function expectSame(api: Api, { path, as_of, said }: Recorded, seen: Record<string, number>) {
  const asked = `${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(as_of)}`;
  const { status, body, headers } = await api.get(asked);
  const kind = said === null ? 'not there' : path.replaceAll(/\w+_[0-9a-z_]+/gu, ':id').replace(/\?.*/u, '');
  seen[kind] = (seen[kind] ?? 0) + 1;
  if (said === null) return void expect(status, asked).to.equal(404);
  expect(status, `${asked} ${JSON.stringify(body)}`).to.equal(200);
  const forgotten = forgottenIn(body);
  const [now, then] = [without(forgotten, body), without(forgotten, said)];
  expect(now, `${asked}: ${differenceOf(now, then).join('; ')}`).to.deep.equal(then);
  if (forgotten.size > 0) seen['forgotten since'] = (seen['forgotten since'] ?? 0) + 1;
  expect(headers.get('X-As-Of'), asked).to.match(/^\d{20}$/u);
}

/** Results whose contents are gone by now, and titles of groups that only they had. */
function forgottenIn(body: unknown): Set<string> {
  const found = new Set<string>();
  JSON.stringify(body, (key, value: any) => {
    if (value?.contents === 'deleted' || value?.contents === 'redacted') found.add(value.id);
    if (key === 'title' && value === NO_TITLE) found.add(NO_TITLE);
    return value;
  });
  return found;
}

/** The answer without what these results contain. */
function without(forgotten: ReadonlySet<string>, body: unknown): unknown {
  const text = JSON.stringify(body, (key, value: any) => {
    if (forgotten.has(NO_TITLE) && key === 'title') return null;
    if (value === null || typeof value !== 'object' || !forgotten.has(value.id)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !contents.includes(name)));
  });
  return JSON.parse(text);
}

const contents = ['contents', 'error_message', 'error', 'metadata'];

/** Where two answers differ: a page of results is too long for a message. */
function differenceOf(now: any, then: any, path = ''): string[] {
  if (typeof now !== 'object' || typeof then !== 'object' || now === null || then === null)
    return now === then ? [] : [`${path} is ${JSON.stringify(now)}, and was ${JSON.stringify(then)}`];
  const names = new Set([...Object.keys(now), ...Object.keys(then)]);
  return [...names].flatMap((name) => differenceOf(now[name], then[name], `${path}/${name}`));
}
