/**
 * Renders messages from the streams of what they are about, as things stood at their events: the same bytes whenever and
 * wherever it is done. So nobody has to keep what a message says, however many there are that nobody was sent.
 */
import type { About, MessageDocument } from '../../../projections/publication.js';
import { projectRecord, resultRecord, runRecord } from '../../../projections/records.js';
import { render } from './payload.js';
import { parseStreamName, streamName, type Position } from '../../domain/event.js';
import { eventPositionOf, type Message } from '../../domain/message.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { EventLog } from '../../ports/event-log.js';
import { openStateAsOf, type StateAsOf } from './state-as-of.js';

/** The same messages, in order, with their bodies. */
export type Render = (messages: readonly MessageDocument[]) => Promise<Message[]>;

const AT_ONCE = 32;

export function openRendering(log: Pick<EventLog, 'readStream'>): Render {
  return async (messages) => {
    // What many of them are about is read once; the next call reads it anew.
    const past = openStateAsOf(log);
    const rendered: Message[] = [];
    await forEachConcurrent([...messages.entries()], AT_ONCE, async ([n, message]) => {
      const { about, outgoing: _, ...ref } = withoutPosition(message);
      const data = await dataOf(past, message, about);
      rendered[n] = { ...ref, body: render(ref.type, ref.at, data) };
    });
    return rendered;
  };
}

async function dataOf(past: StateAsOf, { team_id, place }: MessageDocument, about: About): Promise<object> {
  const at = eventPositionOf(place);
  switch (about.kind) {
    case 'webhook':
      return { webhook_id: about.webhook_id };
    case 'test': {
      const { test, rule, evidence } = about;
      return { test, rule, evidence, project: await projectAt(past, team_id, test.project_id, at) };
    }
    case 'run': {
      const { run_id, project_id, completion } = about;
      const [run, project] = await Promise.all([
        runAt(past, team_id, { run_id, counts: about.counts }, at),
        projectAt(past, team_id, project_id, at),
      ]);
      return { run, completion, project };
    }
    case 'result': {
      const { result_id, run_id, project_id, counts, failure } = about;
      const [result, run, project, failed] = await Promise.all([
        resultAt(past, team_id, result_id, at),
        run_id === null || counts === null ? null : runAt(past, team_id, { run_id, counts }, at),
        projectAt(past, team_id, project_id, at),
        failure === undefined ? undefined : resultAt(past, team_id, failure, at),
      ]);
      return { result, run, project, ...(failed !== undefined && { failure: failed }) };
    }
  }
}

type Counted = { run_id: string; counts: NonNullable<Extract<About, { kind: 'result' }>['counts']> };

async function runAt(past: StateAsOf, team: string, { run_id, counts }: Counted, at: Position) {
  const run = await past.run(streamName('run', team, run_id), at);
  return run === null ? null : runRecord(run, counts);
}

async function projectAt(past: StateAsOf, team: string, id: string, at: Position) {
  const project = await past.project(streamName('project', team, id), at);
  return project === null ? null : projectRecord(project);
}

/** With its run's label, and with the retry that superseded it by then. */
async function resultAt(past: StateAsOf, team: string, id: string, at: Position) {
  const result = await past.result(streamName('result', team, id), at);
  if (result === null) return null;
  const { test_run_id, claim } = result;
  const [run, retry] = await Promise.all([
    test_run_id === null ? null : past.run(streamName('run', team, test_run_id), at),
    claim === null ? null : past.result(streamName('result', team, claim.by), at),
  ]);
  const superseded_by = retry === null ? null : parseStreamName(streamName('result', team, claim!.by)).id;
  return resultRecord({ ...result, superseded_by }, run?.label ?? null);
}

function withoutPosition<T extends object>(document: T): T {
  const { position: _, ...rest } = document as T & { position?: unknown };
  return rest as unknown as T;
}
