/** Fills a log with a long history, directly through its adapter, without requests. */
import { mkdir } from 'node:fs/promises';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { instant, systemClock } from '../../src/clock.js';
import { newIds } from '../../src/commands/ids.js';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { firstStart, OPERATOR_TEAM } from '../../src/commands/teams.js';
import { newApiKey } from '../../src/domain/teams/api-key.js';
import { streamName, type NewEvent } from '../../src/domain/event.js';
import { eventVersions } from '../../src/domain/events.js';
import type { Fact, ResultEvent } from '../../src/domain/events.js';
import { project } from '../../src/domain/project.js';
import { run } from '../../src/domain/runs/run.js';
import { COMMIT, resultCreated, statusOf, testName } from './test-results.js';

export type Seeded = History & {
  /** The folder of the server's output, and of its stores if they are files. */
  folder: string;
  /** `EVENTS_URL` and `VIEWS_URL`, if the stores are not files. */
  stores: Readonly<Record<string, string>>;
};

export type History = {
  /** An owner's API key. */
  key: string;
  project: string;
  runs: string[];
  resultsARun: number;
  /** The ids of all results, or of a sample from the first to the last. */
  results: string[];
};

const RESULTS_A_RUN = 1_000;
/** Results under way at a time in a run. Their events are interleaved in the log, as those of parallel jobs are. */
const AT_ONCE = 64;
const MOST_IDS = 32_000;

/** `steps` is the number of events of a result: one for a report, or three for its creation, start and finish. */
type Amount = { results: number; steps?: 1 | 3 };

export async function seed(folder: string, amount: Amount): Promise<Seeded> {
  await mkdir(folder, { recursive: true });
  const log = await openSqliteLog({ folder, mode: 'writer' });
  try {
    return { folder, stores: {}, ...(await seedLog(log, amount)) };
  } finally {
    await log.close();
  }
}

/** Needs an empty log. */
export async function seedLog(log: EventLog, { results, steps = 1 }: Amount): Promise<History> {
  const commands = openCommandHandler(log);
  const key = newApiKey();
  await firstStart(log, commands, systemClock, key);
  const project = await newProject(commands);
  const history: History = { key, project, runs: [], resultsARun: RESULTS_A_RUN, results: [] };
  const every = Math.ceil(results / MOST_IDS);
  // While one run is written, the next one is made.
  let written: Promise<unknown> = Promise.resolve();
  for (let n = 0; n < results; n += RESULTS_A_RUN) {
    const run_id = await newRun(commands, history.project);
    const ids = Array.from({ length: Math.min(RESULTS_A_RUN, results - n) }, () => newIds.created('result'));
    const writing = writeResults(log, { ids, project_id: history.project, run_id, steps });
    await written;
    written = writing;
    history.runs.push(run_id);
    history.results.push(...ids.filter((_, index) => (n + index) % every === 0));
  }
  await written;
  return history;
}

type RunOfResults = { ids: readonly string[]; project_id: string; run_id: string; steps: 1 | 3 };

async function writeResults(log: EventLog, { ids, project_id, run_id, steps }: RunOfResults): Promise<void> {
  const writes: Promise<unknown>[] = [];
  const write = (result_id: string, revision: number, fact: Fact<ResultEvent>) => {
    const stream = streamName('result', OPERATOR_TEAM, result_id);
    writes.push(log.append(stream, revision === 0 ? 'none' : revision - 1, [recordable(fact)]));
  };
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    const some = ids.slice(first, first + AT_ONCE);
    some.forEach((result_id, index) => {
      const data = resultCreated(
        first + index,
        { result_id, project_id, run_id },
        steps === 1 ? undefined : 'Pending',
      );
      write(result_id, 0, { type: 'ResultCreated', data });
    });
    if (steps === 1) continue;
    const at = instant(systemClock);
    for (const result_id of some) {
      const data = { result_id, project_id, run_id, previous_status: 'Pending', status: 'Running' } as const;
      write(result_id, 1, { type: 'ResultStarted', data: { ...data, started_at: at } });
    }
    some.forEach((result_id, index) => {
      const status = statusOf(first + index);
      const data = { result_id, project_id, run_id, previous_status: 'Running', status } as const;
      write(result_id, 2, {
        type: 'ResultFinished',
        data: { ...data, test_name: testName(first + index), finished_at: at, execution_time_ms: 0 },
      });
    });
  }
  await Promise.all(writes);
}

export async function newProject(commands: CommandHandler): Promise<string> {
  const project_id = newIds.created('project');
  const stream = streamName('project', OPERATOR_TEAM, project_id);
  const command = { type: 'CreateProject', project_id, name: 'Web shop', description: null } as const;
  await commands.execute(project, stream, context(), command, { newStream: true });
  return project_id;
}

async function newRun(commands: CommandHandler, project_id: string): Promise<string> {
  const run_id = newIds.created('run');
  const stream = streamName('run', OPERATOR_TEAM, run_id);
  const metadata = { branch: 'main', commit: COMMIT };
  const command = { type: 'CreateRun', run_id, project_id, label: 'nightly', metadata } as const;
  await commands.execute(run, stream, context(), command, { newStream: true });
  return run_id;
}

export function recordable(fact: Fact<ResultEvent>): NewEvent {
  const { team: team_id, actor, at, correlationId: correlation_id } = context();
  const meta = { team_id, actor, at, correlation_id, causation_id: null };
  return { id: newIds.event('', 0), ...fact, version: eventVersions[fact.type], meta };
}

export function context(): CommandContext {
  return {
    team: OPERATOR_TEAM,
    project_ids: null,
    actor: 'key_00000000000000000000000000',
    at: instant(systemClock),
    correlationId: newIds.event('', 0),
    ids: newIds,
    resumed: false,
  };
}
