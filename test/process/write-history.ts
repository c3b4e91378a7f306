/** Writes a long history straight into a log. The deciders make its events, so a server could have written them. */
import { mkdir } from 'node:fs/promises';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { newIds } from '../../src/commands/ids.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { Decider } from '../../src/domain/decider.js';
import { streamName, type Category, type NewEvent } from '../../src/domain/event.js';
import { eventVersions } from '../../src/domain/events.js';
import type { EventType } from '../../src/domain/events.js';
import { project } from '../../src/domain/project.js';
import { result } from '../../src/domain/results/result.js';
import { run } from '../../src/domain/runs/run.js';

export type History = { project: string; runs: string[]; results: string[]; events: number };

/** Writes runs with ten results each, and changes each result a hundred times. No server may have the folder open. */
export async function writeHistory(folder: string, runs: number): Promise<History> {
  await mkdir(folder, { recursive: true });
  const log = await openSqliteLog({ folder, mode: 'writer' });
  try {
    return await historyIn(log, runs);
  } finally {
    await log.close();
  }
}

async function historyIn(log: EventLog, runs: number): Promise<History> {
  const project_id = newIds.created('project');
  const history: History = { project: project_id, runs: [], results: [], events: 0 };
  const append = async <S, C, T extends EventType>(
    category: Category,
    id: string,
    decider: Decider<S, C, T>,
    commands: readonly C[],
  ) => {
    const events = decided(decider, commands);
    await log.append(streamName(category, OPERATOR_TEAM, id), 'none', events);
    history.events += events.length;
  };

  await append('project', project_id, project, [
    { type: 'CreateProject', project_id, name: 'A long history', description: null },
  ]);
  for (let n = 0; n < runs; n += 1) {
    const run_id = newIds.created('run');
    history.runs.push(run_id);
    await append('run', run_id, run, [
      { type: 'CreateRun', run_id, project_id, label: `run ${n}`, metadata: { n } },
      { type: 'UpdateRun', status: 'Running', at: AT },
    ]);
    const results = Array.from({ length: 10 }, () => newIds.created('result'));
    history.results.push(...results);
    await Promise.all(results.map((id) => append('result', id, result, changesOf(id, run_id, project_id))));
  }
  return history;
}

type ResultCommands = Parameters<typeof result.decide>[0][];

function changesOf(result_id: string, run_id: string, project_id: string): ResultCommands {
  const data = {
    result_id,
    project_id,
    run_id,
    test_name: 'A test with a history',
    status: 'Pending',
    started_at: null,
    metadata: { zeta: 1, alpha: [true, null] },
    attempt: 1,
    retry_of: null,
    run_branch: null,
    run_commit: null,
  } as const;
  const changes = Array.from({ length: 100 }, (_, n) => ({
    type: 'UpdateResult' as const,
    at: AT,
    changes: {
      status: n % 2 === 0 ? ('Failed' as const) : ('Passed' as const),
      error_message: `change ${n}`,
    },
  }));
  return [{ type: 'CreateResult', at: AT, data }, ...changes];
}

const AT = '2026-01-02T03:04:05.678Z';

/** The events that these commands make, one after another, in a new stream. */
function decided<S, C, T extends EventType>(decider: Decider<S, C, T>, commands: readonly C[]): NewEvent[] {
  const events: NewEvent[] = [];
  let state = decider.initial;
  for (const command of commands) {
    for (const fact of decider.decide(command, state)) {
      const event = { id: newIds.event('', 0), version: eventVersions[fact.type], meta, ...fact };
      state = decider.evolve(state, event);
      events.push(event);
    }
  }
  return events;
}

const meta = {
  team_id: OPERATOR_TEAM,
  actor: 'system',
  at: AT,
  correlation_id: 'history',
  causation_id: null,
};
