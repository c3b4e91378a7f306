/** Runs a test runner as users do, and reads back what it has posted. */
import { fileURLToPath } from 'node:url';
import type { Api } from '../kit/client.js';
import { givenProject } from '../http/given.js';
import { ended, type Ended } from '../kit/command.js';
import { freePort } from '../kit/free-port.js';
import { openLoopback } from '../kit/loopback.js';
import type { TestServer } from '../kit/server.js';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));
export const projects = `${repository}test/reporters/projects/`;

export type Command = { args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> };

export function runNode({ args, cwd, env }: Command): Promise<Ended> {
  return ended(process.execPath, args, { cwd, env: { NO_COLOR: '1', ...env } });
}

/** The lines that the reporter itself has printed. */
export function ownLines({ stderr }: Ended): string[] {
  return stderr.split('\n').filter((line) => line.startsWith('testledger: '));
}

export type CommandHandler = { project: string; api: Api; env: Record<string, string> };

/** A new project of a new team, and the variables with which a reporter posts to it. */
export async function givenCommands(server: TestServer): Promise<CommandHandler> {
  const { owner } = await server.newTeam();
  const project = await givenProject(owner);
  const env = { TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: owner.key!, TESTLEDGER_PROJECT: project };
  return { project, api: owner, env };
}

export type PostedResult = {
  id: string;
  name: string;
  status: string;
  attempt: number | null;
  superseded_by: string | null;
  error_message: string | null;
  duration_ms: number | null;
  started_at: string | null;
  metadata: Record<string, any> | null;
  file: string | null;
  line: number | null;
  suite: string | null;
  error: Record<string, string | null> | null;
};

/** The runs of a project, newest first, each with its results in their order. */
export async function postedRuns({
  api,
  project,
}: CommandHandler): Promise<{ run: any; results: PostedResult[] }[]> {
  const { body } = await api.get(`/v1/test-runs?project_id=${project}&per_page=100`);
  const runs = [];
  for (const run of body.data) {
    const results: PostedResult[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await api.get(`/v1/test-runs/${run.id}/results?per_page=100&page=${page}`);
      results.push(...answer.body.data);
      if (answer.body.data.length < 100) break;
    }
    runs.push({ run, results });
  }
  return runs;
}

/** The number of results of each status that no later attempt supersedes. */
export function countsOf(results: readonly PostedResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, superseded_by } of results)
    if (superseded_by === null) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** What is the same each time that the same tests run. */
export function stablePart(results: readonly PostedResult[]) {
  return results
    .map(({ name, status, attempt, file, suite }) => ({ name, status, attempt, file, suite }))
    .sort((a, b) => a.name.localeCompare(b.name) || (a.attempt ?? 0) - (b.attempt ?? 0));
}

/** A server that takes requests and never answers. */
export const hangingServer = () => openLoopback(() => {});

/** An address at which nothing listens. The port of a server that was stopped can be given to the server of another test. */
export async function deadAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
