import { expect } from 'chai';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { changeResult, recordResult, viewResult } from '../../src/commands/results.js';
import { streamName } from '../../src/domain/event.js';
import { itemId } from '../../src/domain/ids.js';
import { result, type Result } from '../../src/domain/results/result.js';
import { newEvent } from '../contract/event-log/events.js';
import { chunkEvents } from '../domain/item-chunks.js';
import { submittedItems, type Item } from '../domain/submission.js';
import { contextOf, embeddedStores, eventsOf, givenCall, givenRun, givenSubmission, NOW } from '../stores.js';

type Present = Extract<Result, { life: 'present' }>;

const unmarked = (id: string) => ({ id, marked: async () => new Map() });

describe('a result that was submitted with its run', () => {
  const stores = embeddedStores('each suite');

  async function given(items: readonly Item[] = [{ status: 'Failed' }, {}, { test_name: 'subtracts' }]) {
    const made = await givenRun(stores.log);
    const { run_id, result_ids } = await givenSubmission(stores.log, made, items);
    const { team, commands, project_id } = made;
    const streamOf = (id: string) => streamName('result', team, id);
    return {
      ...made,
      run_id,
      items: result_ids,
      streamOf,
      loaded: async (id: string, by = openCommandHandler(stores.log)) => by.load(result, streamOf(id)),
      viewed: async (id: string) => {
        const other = openCommandHandler(stores.log);
        return viewResult(other, team, await other.load(result, streamOf(id)));
      },
      update: (id: string, changes: object) =>
        changeResult(commands, contextOf(team), unmarked(id), { type: 'UpdateResult', at: NOW, changes }),
      remove: (id: string) => changeResult(commands, contextOf(team), unmarked(id), { type: 'DeleteResult' }),
      retry: (retry_of: string, test_name = 'adds up') => {
        const wanted = { project_id, test_run_id: run_id, test_name, status: 'Passed', retry_of } as const;
        return recordResult(commands, stores.log, contextOf(team), wanted);
      },
    };
  }

  it('has the state that was submitted, with no event in its own stream', async () => {
    const { loaded, items, streamOf, run_id } = await given();
    expect(await loaded(items[2]!)).to.include({
      life: 'present',
      test_result_id: itemId(run_id, 2),
      test_run_id: run_id,
      test_name: 'subtracts',
      status: 'Passed',
    });
    expect(await eventsOf(stores.log, streamOf(items[2]!))).to.deep.equal([]);
  });

  it('exists only if its run says so', async () => {
    const made = await givenRun(stores.log);
    const { team, commands } = made;
    const left = await givenSubmission(stores.log, made, [{}, {}], { takesEffect: false });
    const there = await givenSubmission(stores.log, made, [{}, {}]);
    const state = (id: string) => commands.load(result, streamName('result', team, id));
    expect(await state(left.result_ids[0]!)).to.deep.equal({ life: 'none' });
    expect(await state(there.result_ids[1]!)).to.include({ life: 'present' });
    // An ordinal beyond the items; a run without items; a run of another team.
    expect(await state(itemId(there.run_id, 2))).to.deep.equal({ life: 'none' });
    expect(await state(itemId(made.run_id, 0))).to.deep.equal({ life: 'none' });
    const other = await givenRun(stores.log);
    const foreign = streamName('result', other.team, there.result_ids[1]!);
    expect(await other.commands.load(result, foreign)).to.deep.equal({ life: 'none' });
  });

  it('does not exist for an item beyond the number that its run names', async () => {
    const made = await givenRun(stores.log);
    const { run_id, result_ids } = await givenSubmission(stores.log, made, [{}, {}]);
    const stream = streamName('items', made.team, run_id);
    const more = submittedItems(
      { run_id, project_id: made.project_id },
      Array.from({ length: 5 }, () => ({})),
    );
    const [, second] = chunkEvents(stream, more, newEvent().meta);
    await stores.log.append(stream, 0, [{ ...second!, data: { ...(second!.data as object), first: 2 } }]);
    expect(await eventsOf(stores.log, stream)).to.have.length(3);
    const state = (of: string) =>
      openCommandHandler(stores.log).load(result, streamName('result', made.team, of));
    expect(await state(itemId(run_id, 2))).to.deep.equal({ life: 'none' });
    expect(await state(result_ids[1]!)).to.include({ life: 'present' });
  });

  it('is found later, even if a first look came before its run existed', async () => {
    const made = await givenRun(stores.log);
    const { team, commands, project_id } = made;
    const log: EventLog = {
      ...stores.log,
      async append(stream, expected, events) {
        // Just before the run is appended. Its items are in the log already.
        if (stream.startsWith('run-')) {
          const { run_id } = events[0]!.data as { run_id: string };
          const early = await commands.load(result, streamName('result', team, itemId(run_id, 0)));
          expect(early).to.deep.equal({ life: 'none' });
        }
        return stores.log.append(stream, expected, events);
      },
    };
    const { result_ids } = await givenSubmission(log, { team, project_id }, [{}]);
    const state = await commands.load(result, streamName('result', team, result_ids[0]!));
    expect(state).to.include({ life: 'present' });
  });

  it('takes an update as the first event of its own stream, and every node sees it', async () => {
    const { items, update, loaded, streamOf } = await given();
    const before = (await loaded(items[0]!)) as Present;
    await update(items[0]!, { status: 'Skipped', error_message: 'no' });
    const after = { ...before, status: 'Skipped', error_message: 'no', updated_at: NOW };
    expect(await loaded(items[0]!)).to.deep.equal(after);
    const [event, ...more] = await eventsOf(stores.log, streamOf(items[0]!));
    expect(event).to.deep.include({ type: 'ResultUpdated', revision: 0 });
    expect(event!.data).to.include({ previous_status: 'Failed', status: 'Skipped' });
    expect(more).to.deep.equal([]);
  });

  it('is read once for the cache, and later only from there on', async () => {
    const { items, update, streamOf } = await given();
    await update(items[0]!, { error_message: 'one' });
    const reads: string[] = [];
    const commands = openCommandHandler({
      ...stores.log,
      lastRevision: () => undefined,
      async readStream(stream, options) {
        reads.push(stream.slice(0, stream.indexOf('-')));
        return stores.log.readStream(stream, options);
      },
    });
    for (let n = 0; n < 3; n += 1) {
      expect(await commands.load(result, streamOf(items[0]!))).to.include({ error_message: 'one' });
    }
    expect(reads).to.deep.equal(['run', 'items', 'result', 'result', 'result']);
    // A result without events of its own is cached, too. The submission is known by now.
    reads.length = 0;
    for (let n = 0; n < 2; n += 1) await commands.load(result, streamOf(items[1]!));
    expect(reads).to.deep.equal(['items', 'result', 'result']);
  });

  it('of a call to a run with a key exists once the run says so, and the run is read once for all of its calls', async () => {
    const made = await givenRun(stores.log);
    const reads: string[] = [];
    const log: EventLog = {
      ...stores.log,
      async readStream(stream, options) {
        reads.push(stream.slice(0, stream.indexOf('-')));
        return stores.log.readStream(stream, options);
      },
    };
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(...(await givenCall(stores.log, made, [{}, {}])).result_ids);
    const stateOf = (id: string) => openCommandHandler(log).load(result, streamName('result', made.team, id));
    for (const id of ids) expect((await stateOf(id)).life).to.equal('present');
    // The first one looks for a run with the id of its submission, and then for its run.
    expect(reads.filter((category) => category === 'run')).to.have.length(2);
    const beyond = ids.at(-1)!.replace(/_1$/, '_2');
    expect((await stateOf(beyond)).life).to.equal('none');
  });

  it('names in its deletion the items that it had superseded', async () => {
    const { items, remove, streamOf } = await given([{}, { attempt: 3 }, {}, { attempt: 2 }]);
    for (const [at, supersedes] of [
      [3, [0, 2]],
      [1, [3]],
      [0, undefined],
    ] as const) {
      await remove(items[at]!);
      const [event] = await eventsOf(stores.log, streamOf(items[at]!));
      expect((event!.data as { supersedes?: number[] }).supersedes).to.deep.equal(supersedes);
    }
  });

  it('gives a resumed request the same answer as before', async () => {
    const { items, commands, team, streamOf } = await given();
    const context = contextOf(team, {
      ids: { ...contextOf(team).ids, event: (_, n) => `00000000-0000-4000-8000-00000000000${n}` },
    });
    const update = { type: 'UpdateResult', at: NOW, changes: { error_message: 'one' } } as const;
    const first = await commands.execute(result, streamOf(items[0]!), context, update);
    const other = { ...update, changes: { error_message: 'two' } };
    await commands.execute(result, streamOf(items[0]!), contextOf(team), other);
    const again = await openCommandHandler(stores.log).execute(
      result,
      streamOf(items[0]!),
      { ...context, resumed: true },
      update,
    );
    expect(again).to.deep.equal({ state: first.state, appended: null });
    expect(again.state).to.include({ error_message: 'one', test_name: 'adds up' });
  });
});
