/**
 * How long each page of the dashboard takes at the server and in a browser over a slow line, and how many bytes of HTML it has,
 * with a lot of everything.
 */
import { testIdOf } from '../../src/domain/test-history/test.js';
import { usefulTimes } from '../processes/browser.js';
import { outboxShown, within, type Server } from '../processes/server.js';
import { signIn } from '../processes/sign-in.js';
import { compare, quantile, type Row } from '../table/table.js';

const ENOUGH = { ms: 100, bytes: 300_000, usefulMs: 1_000 };
const PROJECTS = 200;
const RESULTS = 50_000;
/** Every tenth result fails. */
const FAILING = 10;
const CAUSES = 200;
const REQUESTS = 9;

type PageTime = { name: string; ms: number; bytes: number };

/** `server`: with many runs in its project. */
export async function dashboardRows(server: Server): Promise<Row[]> {
  const { big, others } = await fillDashboard(server);
  const person = await signIn(server);
  const paths = await pathsOf(server, { run: big.run, other: others[0]! }, person.team);
  const times = await pageTimes(server, person.cookie, paths);
  const visits = await usefulTimes({ url: server.url, cookie: person.cookie }, mainPages(paths));
  const useful = visits.toSorted((one, other) => other.ms - one.ms);
  const slowest = times.toSorted((one, other) => other.ms - one.ms);
  const largest = times.toSorted((one, other) => other.bytes - one.bytes);
  const each = slowest.map(({ name, ms, bytes }) => `${name} ${ms.toFixed(0)}/${(bytes / 1_000).toFixed(0)}`);
  const runs = server.runs.length.toLocaleString('en');
  return [
    compare({
      figure: 'pages of the dashboard: the slowest, median',
      unit: 'ms',
      measured: [slowest[0]!.ms],
      reference: ENOUGH.ms,
      atLeast: 1,
      note: `${runs} runs in a project, ${PROJECTS} projects, a run of ${RESULTS.toLocaleString('en')} results; ms/kB: ${each.join(', ')}`,
    }),
    compare({
      figure: '  the largest HTML',
      unit: 'B',
      measured: [largest[0]!.bytes],
      reference: ENOUGH.bytes,
      atLeast: 1,
      note: largest[0]!.name,
    }),
    compare({
      figure: '  useful in Chromium, the slowest of the main ones, median',
      unit: 'ms',
      measured: [useful[0]!.ms],
      reference: ENOUGH.usefulMs,
      atLeast: 1,
      note: `100 ms round trip, 5 Mbit/s, nothing kept; ms: ${useful.map(({ name, ms }) => `${name} ${ms.toFixed(0)}`).join(', ')}`,
    }),
  ];
}

type Filled = { big: { run: string; baseline: string }; others: string[] };

/** Two runs of many results in the project, and other projects with a run each. */
async function fillDashboard(server: Server): Promise<Filled> {
  const baseline = await submit(server, server.project, resultsOf(RESULTS, 0), '1');
  const run = await submit(server, server.project, resultsOf(RESULTS, 1), '2');
  const others: string[] = [];
  for (let n = 1; n < PROJECTS; n += 1) {
    const { body } = await server.call('POST', '/v1/projects', { name: `Project ${n}` });
    const { id } = (body as { data: { id: string } }).data;
    others.push(id);
    await submit(server, id, resultsOf(20, n), String(n));
  }
  await outboxShown(server);
  await within(600_000, 'the comparison', async () => {
    const { body, behind } = await server.call('GET', `/v1/test-runs/${run}`);
    return !behind && (body as { data: { gate: unknown } }).data.gate !== null ? true : null;
  });
  return { big: { run, baseline }, others };
}

async function submit(
  server: Server,
  project_id: string,
  results: object[],
  commit: string,
): Promise<string> {
  const metadata = {
    branch: 'main',
    commit: commit.padStart(40, 'c0ffee'),
    message: 'Confirm card payments in one step',
    actor: 'Olga',
    tool: 'playwright',
    pull_request: '7',
  };
  const { body } = await server.call('POST', '/v1/test-runs', { project_id, metadata, results });
  return (body as { data: { id: string } }).data.id;
}

/** `shift`: other tests fail. */
function resultsOf(count: number, shift: number): object[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `e2e/cart-${n % 500}.spec.ts › the cart › pays by card and ships to address ${n}`,
    status: (n + shift) % FAILING === 0 ? 'failed' : 'passed',
    duration_ms: (n * 7_919) % 30_000,
    error_message:
      (n + shift) % FAILING === 0
        ? `Expected the total of cart ${n % CAUSES} to be 12.00, and it is ${n}.00`
        : null,
    metadata: {
      ...((n + shift) % FAILING === 0 && { error: { stack: stackOf(n % CAUSES) } }),
      owner: `@shop/team-${n % 7}`,
      tags: [['slow'], ['smoke', 'cart'], []][n % 3],
      file: `e2e/cart-${n % 500}.spec.ts`,
    },
  }));
}

function stackOf(cause: number): string {
  return [
    `Error: Expected the total of cart ${cause} to be 12.00`,
    `    at total${cause} (/app/src/cart/total-${cause}.ts:${cause + 1}:7)`,
    `    at pay (/app/src/cart/pay.ts:7:3)`,
  ].join('\n');
}

/** The median time until each page is answered, one request at a time. */
async function pageTimes(
  server: Server,
  cookie: string,
  paths: Paths,
  requests = REQUESTS,
): Promise<PageTime[]> {
  const times: PageTime[] = [];
  for (const [name, path] of Object.entries(paths)) {
    const took: number[] = [];
    let bytes = 0;
    for (let n = 0; n <= requests; n += 1) {
      const began = performance.now();
      const answer = await fetch(server.url + path, {
        headers: { cookie, accept: 'text/html', 'accept-encoding': 'identity' },
      });
      const html = await answer.arrayBuffer();
      // The first request is the warm-up.
      if (n > 0) took.push(performance.now() - began);
      bytes = html.byteLength;
      if (answer.status !== 200) throw new Error(`${name}, ${path}: ${answer.status}`);
    }
    times.push({ name, ms: quantile(took, 0.5), bytes });
  }
  return times;
}

type Paths = Readonly<Record<string, string>>;

/** Those on the way from a failure to what it needs. */
const MAIN =
  /^(?:today|search|projects|runs|tests|failures|cause|insights|test|run|failures of a run|compare|results|failure|change)$/;

function mainPages(paths: Paths): Paths {
  return Object.fromEntries(Object.entries(paths).filter(([name]) => MAIN.test(name)));
}

/** The pages that a person reads. */
async function pathsOf(
  { call, project, runs }: Server,
  { run, other }: { run: string; other: string },
  team: string,
): Promise<Paths> {
  const get = async (path: string) => ((await call('GET', path)).body as { data: any }).data;
  const [failure] = await get(`/v1/test-runs/${run}/results?status=failed&per_page=1&page=2500`);
  const [{ group }] = await get(`/v1/test-runs/${run}/failures?per_page=1`);
  const { baseline, commit } = await get(`/v1/test-runs/${run}`);
  const shop = `/projects/${project}`;
  const results = `/runs/${run}/results`;
  const below = {
    today: '',
    'today, a week': '?since=week',
    search: '/search?q=card%20ships',
    'search of a commit': '/search?q=c0ffee',
    projects: '/projects',
    'projects, page 4': '/projects?page=4',
    'all insights': '/insights',
    'all insights, 90 days': '/insights?days=90',
    runs: shop,
    'runs, page 2,000': `${shop}?page=2000`,
    'runs, failed': `${shop}?q=status:failed`,
    'runs, words': `${shop}?q=card%20payments`,
    'runs, rare words': `${shop}?q=no-such-word`,
    'runs, 7 days': `${shop}?q=age:7d`,
    'runs of a small project': `/projects/${other}`,
    change: `${shop}/change?commit=${commit}`,
    'change of a pull request': `${shop}/change?pull_request=7`,
    'change of a branch': `${shop}/change?branch=main`,
    'two branches': `${shop}/compare?branch=main&with=main`,
    tests: `${shop}/tests`,
    'tests, all': `${shop}/tests?q=state:all`,
    'tests, page 500': `${shop}/tests?q=state:all&page=500`,
    'tests, words': `${shop}/tests?q=state:all%20address%204711`,
    'tests, tag': `${shop}/tests?q=state:all%20tag:slow`,
    'tests, not tag': `${shop}/tests?q=state:all%20-tag:slow`,
    'tests, owner': `${shop}/tests?q=state:all%20owner:@shop/team-3`,
    failures: `${shop}/failures`,
    'failures, words': `${shop}/failures?q=total%20cart`,
    'failures, owner': `${shop}/failures?q=owner:@shop/team-3`,
    cause: `${shop}/failures/${group}`,
    insights: `${shop}/insights`,
    'insights, 90 days': `${shop}/insights?days=90`,
    test: `${shop}/tests/${testIdOf(project, failure.name)}`,
    'settings of a project': `${shop}/settings`,
    badges: `${shop}/settings/badges`,
    trusts: `${shop}/settings/trusts`,
    run: `/runs/${run}`,
    'run of 1 result': `/runs/${runs[0]}`,
    'failures of a run': `/runs/${run}/failures`,
    'failures of a run, one cause': `/runs/${run}/failures/${group}`,
    compare: `/runs/${run}/compare?with=${baseline?.id ?? runs[0]}`,
    'compare, choose': `/runs/${run}/compare`,
    'run history': `/runs/${run}/history`,
    'links of a run': `/runs/${run}/links`,
    results,
    'results, by duration': `${results}?sort=duration&order=desc`,
    'results, last page': `${results}?page=1000`,
    'results, failed': `${results}?q=status:failed`,
    'results, words': `${results}?q=address%204711`,
    'results, owner': `${results}?q=owner:@shop/team-3`,
    'results, tag': `${results}?q=tag:slow`,
    'results, not tag': `${results}?q=-tag:slow`,
    'results, not tag, by duration': `${results}?q=-tag:slow&sort=duration&order=desc`,
    failure: `/results/${failure.id}`,
    'result history': `/results/${failure.id}/history`,
    members: '/team',
    'team settings': '/team/settings',
    keys: '/team/keys',
    webhooks: '/team/webhooks',
    uploads: '/team/uploads',
    usage: '/team/usage',
    audit: '/team/audit',
    redactions: '/team/redactions',
    operations: '/operations',
  };
  return Object.fromEntries(Object.entries(below).map(([name, path]) => [name, `/teams/${team}${path}`]));
}
