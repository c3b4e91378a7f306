/** Teams with events, for the tests of the replay. */
import type { EventLog } from '../../src/ports/event-log.js';
import { openFeed } from '../../src/log/feed.js';
import { newIds } from '../../src/commands/ids.js';
import { createKey, createTeam } from '../../src/commands/teams.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { START, streamName, type RecordedEvent } from '../../src/domain/event.js';
import { project } from '../../src/domain/project.js';
import { run } from '../../src/domain/runs/run.js';
import { keyMaker } from '../domain/key-maker.js';
import { contextOf, givenSubmission, NOW } from '../stores.js';

/** Reads every event of the log through the feed. */
export async function readWholeLog(log: EventLog): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for (let after = START; ;) {
    const batch = await openFeed(log).read({ after });
    all.push(...batch.events);
    after = batch.position;
    if (batch.caughtUp) return all;
  }
}

export type Team = { id: string; projects: string[] };

/** Appends some events to a team: a key, a run or a submission of `size` items, by the number `kind`. */
export async function appendSome(
  log: EventLog,
  { id: team, projects }: Team,
  kind: number,
  size: number,
): Promise<void> {
  const commands = openCommandHandler(log);
  const context = contextOf(team);
  const project_id = projects[size % projects.length]!;
  switch (kind % 4) {
    case 0:
      await createKey(commands, context, { name: 'A key', role: 'viewer', maker: keyMaker('owner') });
      return;
    case 1: {
      const run_id = newIds.created('run');
      const create = { type: 'CreateRun', run_id, project_id, label: null, metadata: null } as const;
      const stream = streamName('run', team, run_id);
      await commands.execute(run, stream, context, create);
      await commands.execute(run, stream, context, { type: 'UpdateRun', label: 'nightly', at: NOW });
      return;
    }
    default: {
      const items = Array.from({ length: size }, (_, n) => ({ test_name: `test ${n}` }));
      await givenSubmission(log, { team, project_id }, items, { takesEffect: kind % 8 !== 7 });
    }
  }
}

export async function givenTeam(log: EventLog): Promise<Team> {
  const commands = openCommandHandler(log);
  const { team } = await createTeam(commands, contextOf('team_any'), 'A team');
  const projects = [newIds.created('project'), newIds.created('project')];
  for (const project_id of projects) {
    const create = { type: 'CreateProject', project_id, name: 'Shop', description: null } as const;
    await commands.execute(project, streamName('project', team.id, project_id), contextOf(team.id), create);
  }
  return { id: team.id, projects };
}
