/** How long each tool of MCP takes, for an agent that asks one thing after the other. */
import { testIdOf } from '../../src/domain/test-history/test.js';
import { agentAt, type Agent } from '../../test/programs/mcp-client.js';
import { outboxShown, type Server } from '../processes/server.js';
import { compare, quantile, type Row } from '../table/table.js';
import { testName } from '../test-data/test-results.js';

const ENOUGH_MS = 100;
const CALLS = 200;

type Ask = (n: number) => [tool: string, given: Record<string, unknown>];

/** The slowest of the tools. Each call of a tool is about another run, result, test or group. */
export async function mcpRow(server: Server, results: number): Promise<Row> {
  await outboxShown(server);
  const agent = await agentAt(server.url, server.key);
  const tools: { name: string; half: number; p99: number }[] = [];
  for (const [name, ask] of Object.entries(await asksOf(server))) {
    const times: number[] = [];
    for (let n = 0; n < CALLS; n += 1) times.push(await timeOf(agent, ask(n)));
    tools.push({ name, half: quantile(times, 0.5), p99: quantile(times, 0.99) });
  }
  await agent.close();
  tools.sort((one, other) => other.p99 - one.p99);
  const each = tools.map(({ name, half, p99 }) => `${name} ${half.toFixed(0)}/${p99.toFixed(0)}`);
  return compare({
    figure: 'tools of MCP: the slowest, p99',
    unit: 'ms',
    measured: [tools[0]!.p99],
    reference: ENOUGH_MS,
    atLeast: 1,
    note: `${results.toLocaleString('en')} results; ${CALLS} calls of each; p50/p99: ${each.join(', ')}`,
  });
}

async function timeOf(agent: Agent, [tool, given]: ReturnType<Ask>): Promise<number> {
  const began = performance.now();
  const { isError, error } = await agent.call(tool, given);
  const took = performance.now() - began;
  if (isError) throw new Error(`${tool}: ${JSON.stringify(error)}`);
  return took;
}

async function asksOf(server: Server): Promise<Record<string, Ask>> {
  const { project, runs, results, resultsARun } = server;
  // Each run begins one test later than the run before it.
  const tests = runs.length + resultsARun - 1;
  const groups = await groupsOf(server);
  const positions = await positionsOf(server);
  const artifact_id = await artifactOf(server);
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const among = <T>(all: readonly T[], n: number) => all[Math.floor((n * all.length) / CALLS)]!;
  const test = (n: number) => testIdOf(project, testName(Math.floor((n * tests) / CALLS)));
  const branch = 'main';
  return {
    find_runs: (n) => ['find_runs', { project_id: project, branch, limit: 50, after: String(n * 4) }],
    'find_runs of all projects': () => ['find_runs', { limit: 50 }],
    run_brief: (n) => ['run_brief', { run_id: among(runs, n) }],
    failure_brief: (n) => ['failure_brief', { project_id: project, group: among(groups, n) }],
    test_brief: (n) => ['test_brief', { test_id: test(n) }],
    compare: (n) => ['compare', { run_id: among(runs, n) }],
    flaky_tests: (n) => ['flaky_tests', { project_id: project, branch, after: String(n * 4) }],
    'history of a run': (n) => ['history', { run_id: among(runs, n) }],
    'history of a result': (n) => ['history', { result_id: among(results, n) }],
    'history of a test': (n) => ['history', { test_id: test(n) }],
    artifact_text: () => ['artifact_text', { artifact_id }],
    stats: () => ['stats', { project_id: project }],
    events_since: (n) => ['events_since', { after: among(positions, n), limit: 50 }],
    set_known_failure: (n) => ['set_known_failure', { test_id: test(n), reason: 'Issue 7', expires_at }],
    end_known_failure: (n) => ['end_known_failure', { test_id: test(n) }],
  };
}

async function groupsOf({ call, project }: Server): Promise<string[]> {
  const { body } = await call('GET', `/v1/projects/${project}/failures?per_page=100`);
  return (body as { data: { group: string }[] }).data.map(({ group }) => group);
}

/** Of events from the first to about the last. */
async function positionsOf({ call }: Server): Promise<string[]> {
  const positions: string[] = [];
  for (let after = ''; ;) {
    const { body } = await call('GET', `/v1/events?limit=1000&after=${after}`);
    const page = body as { data: { position: string }[]; next: string; caught_up: boolean };
    positions.push(...page.data.slice(0, 1).map(({ position }) => position));
    if (page.caught_up || positions.length >= CALLS) return positions;
    after = page.next;
  }
}

/** A log of 48 KB. */
async function artifactOf({ call, results }: Server): Promise<string> {
  const content = Buffer.from('a line of a log\n'.repeat(3_000));
  const artifact = {
    test_result_id: results[0],
    label: 'log.txt',
    kind: 'Log',
    content_type: 'text/plain',
    size_bytes: content.length,
    content: content.toString('base64'),
  };
  const { body } = await call('POST', '/v1/test/artifact/batch', { artifacts: [artifact] });
  const [item] = (body as { items: { artifact: { artifact_id: string } }[] }).items;
  return item!.artifact.artifact_id;
}
