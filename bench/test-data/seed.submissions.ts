/** Fills a log with bulk submissions, directly through its adapter. */
import { mkdir } from 'node:fs/promises';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { systemClock } from '../../src/clock.js';
import { newIds } from '../../src/commands/ids.js';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { firstStart, OPERATOR_TEAM } from '../../src/commands/teams.js';
import { newApiKey } from '../../src/domain/teams/api-key.js';
import { START, streamName, type Position } from '../../src/domain/event.js';
import { itemId } from '../../src/domain/ids.js';
import { run } from '../../src/domain/runs/run.js';
import { chunkEvents } from '../../test/domain/item-chunks.js';
import { context, newProject, type Seeded } from './seed.js';
import { COMMIT, resultSubmitted, TESTS } from './test-results.js';

/** The number of items in appends under way. */
const AT_ONCE = 2_000;

type Amount = {
  runs: number;
  /** In each run. */
  items: number;
  /** The number of tests that all these results are of. */
  tests?: number;
  /** Each test whose number is a multiple of it fails, in each run. Each run is of a commit of its own. */
  failing?: number;
  /** The days over which the runs end evenly, up to now; without it, all end now. */
  days?: number;
};

/** `firstRun`: the position behind the first run. */
export async function seedSubmissions(
  folder: string,
  { runs: count, items, tests = TESTS, failing, days = 0 }: Amount,
): Promise<Seeded & { firstRun: Position }> {
  await mkdir(folder, { recursive: true });
  const log = await openSqliteLog({ folder, mode: 'writer' });
  try {
    const commands = openCommandHandler(log);
    const key = newApiKey();
    await firstStart(log, commands, systemClock, key);
    const project = await newProject(commands);
    const runs: string[] = [];
    const together = Math.max(1, Math.floor(AT_ONCE / items));
    let firstRun = START;
    for (let n = 0; n < count; n += together) {
      const some = Array.from({ length: Math.min(together, count - n) }, () => newIds.created('run'));
      const first = runs.push(...some) - some.length;
      await Promise.all(
        some.map((run_id, k) => {
          const n = first + k;
          const daysAgo = days * (1 - (n + 1) / count);
          return submit(log, commands, { run_id, project, items, tests, failing, n, daysAgo });
        }),
      );
      if (firstRun === START) firstRun = await log.head();
    }
    const results = runs.slice(0, 1_000).map((run_id) => itemId(run_id, 0));
    return { folder, stores: {}, key, project, runs, resultsARun: items, results, firstRun };
  } finally {
    await log.close();
  }
}

type Submission = {
  run_id: string;
  project: string;
  items: number;
  tests: number;
  failing: number | undefined;
  n: number;
  daysAgo: number;
};

const DAY_MS = 86_400_000;

async function submit(
  log: EventLog,
  commands: CommandHandler,
  { run_id, project: project_id, items, tests, failing, n, daysAgo }: Submission,
): Promise<void> {
  const stream = streamName('items', OPERATOR_TEAM, run_id);
  const facts = Array.from({ length: items }, (_, ordinal) =>
    failing === undefined
      ? resultSubmitted(n + ordinal, { run_id, project_id, ordinal, tests })
      : resultSubmitted(ordinal, { run_id, project_id, ordinal, tests, failing, commit: `${COMMIT}-${n}` }),
  );
  const { team: team_id, actor, at: now, correlationId: correlation_id } = context();
  const meta = { team_id, actor, at: now, correlation_id, causation_id: null };
  for (const [revision, chunk] of chunkEvents(stream, facts, meta, { full: true }).entries())
    await log.append(stream, revision === 0 ? 'none' : revision - 1, [chunk]);
  const commit = failing === undefined ? COMMIT : `${COMMIT}-${n}`;
  const described = { label: 'nightly', metadata: { branch: 'main', commit }, started_at: null };
  const finished_at = new Date(Date.parse(context().at) - daysAgo * DAY_MS).toISOString();
  const command = { type: 'SubmitRun', run_id, project_id, ...described, items, finished_at } as const;
  await commands.execute(run, streamName('run', OPERATOR_TEAM, run_id), context(), command, {
    newStream: true,
  });
}
