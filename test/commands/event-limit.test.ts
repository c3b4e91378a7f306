import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { newIds } from '../../src/commands/ids.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { streamName, type NewEvent, type StreamName } from '../../src/domain/event.js';
import { result } from '../../src/domain/results/result.js';
import { run } from '../../src/domain/runs/run.js';
import { limits } from '../../src/limits.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun, NOW } from '../stores.js';

describe('a stream with the most events', () => {
  const stores = embeddedStores('each suite');
  const at = NOW;

  /** Fills a stream with copies of an event. */
  async function fill(stream: StreamName, event: Pick<NewEvent, 'type' | 'version' | 'data'>, team: string) {
    const { actor, correlationId: correlation_id } = contextOf(team);
    const meta = { team_id: team, actor, at, correlation_id, causation_id: null };
    for (let revision = 0; revision + 1 < limits.eventsPerStream; revision += 500) {
      const count = Math.min(500, limits.eventsPerStream - revision - 1);
      const events = Array.from({ length: count }, () => ({ ...event, id: randomUUID(), meta }));
      await stores.log.append(stream, revision, events);
    }
  }

  async function givenFullRun() {
    const { team, run_id, project_id, runStream } = await givenRun(stores.log);
    const data = { run_id, project_id, label: 'again' };
    await fill(runStream, { type: 'RunDescribed', version: 1, data }, team);
    const commands = openCommandHandler(stores.log);
    const update = (command: object) =>
      commands.execute(run, runStream, contextOf(team), { type: 'UpdateRun', at, ...command });
    return { team, commands, runStream, update };
  }

  async function givenFullResult() {
    const { team, project_id } = await givenRun(stores.log);
    const result_id = newIds.created('result');
    const stream = streamName('result', team, result_id);
    const commands = openCommandHandler(stores.log);
    const context = contextOf(team);
    const ids = { result_id, project_id, run_id: null };
    const rest = { started_at: null, metadata: null, attempt: 1, retry_of: null };
    const code = { run_branch: null, run_commit: null };
    const data = { ...ids, test_name: 'login', status: 'Running', ...rest, ...code } as const;
    await commands.execute(result, stream, context, { type: 'CreateResult', at, data });
    const statuses = { previous_status: 'Running', status: 'Running' };
    const updated = { ...ids, ...statuses, test_name: 'login', error_message: 'x' };
    await fill(stream, { type: 'ResultUpdated', version: 1, data: updated }, team);
    const execute = (command: Parameters<typeof result.decide>[0]) =>
      commands.execute(result, stream, context, command);
    return { stream, execute };
  }

  it('takes no further change of a run', async () => {
    const { update, runStream } = await givenFullRun();
    await refusal(update({ label: 'once more' }), 'event_limit');
    await refusal(update({ status: 'Running' }), 'event_limit');
    expect(await eventsOf(stores.log, runStream)).to.have.length(limits.eventsPerStream);
  });

  it('takes a change that changes nothing', async () => {
    const { update } = await givenFullRun();
    expect((await update({ label: 'again' })).appended).to.equal(null);
  });

  it('takes the completion of a run, once', async () => {
    const { update } = await givenFullRun();
    expect((await update({ status: 'Completed' })).state).to.include({ status: 'Completed' });
    await refusal(update({ status: 'Completed' }), 'event_limit');
    await refusal(update({ status: 'Running' }), 'event_limit');
  });

  it('takes the completion of a run that its client has left running', async () => {
    const { team, runStream, commands } = await givenFullRun();
    const { run_id, project_id } = (await eventsOf(stores.log, runStream))[0]!.data as Record<string, string>;
    const { actor, correlationId: correlation_id } = contextOf(team);
    const meta = { team_id: team, actor, at, correlation_id, causation_id: null };
    const data = { run_id, project_id, started_at: at };
    const started = { id: randomUUID(), type: 'RunStarted', version: 1, data, meta };
    await stores.log.append(runStream, limits.eventsPerStream - 1, [started]);
    const command = { type: 'CompleteIdleRun', at } as const;
    const { state } = await commands.execute(run, runStream, contextOf(team), command);
    expect(state).to.include({ status: 'Completed' });
  });

  it('takes the end of a result, once, and its deletion', async () => {
    const { execute } = await givenFullResult();
    await refusal(execute({ type: 'UpdateResult', at, changes: { error_message: 'y' } }), 'event_limit');
    await refusal(execute({ type: 'FinishResult', at }), 'event_limit');
    const { state } = await execute({ type: 'FinishResult', at, status: 'Failed' });
    expect(state).to.include({ status: 'Failed' });
    await refusal(execute({ type: 'UpdateResult', at, changes: { status: 'Passed' } }), 'event_limit');
    expect((await execute({ type: 'DeleteResult' })).state).to.deep.equal({ life: 'gone' });
  });
});
