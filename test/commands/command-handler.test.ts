import { expect } from 'chai';
import { newIds } from '../../src/commands/ids.js';
import { openCommandHandler, type CommandHandler } from '../../src/commands/command-handler.js';
import { eventVersions } from '../../src/domain/events.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { run, type Run, type RunCommand } from '../../src/domain/runs/run.js';
import { fail } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun, NOW } from '../stores.js';

describe('the ledger', () => {
  const stores = embeddedStores('each suite');
  const complete = { type: 'UpdateRun', status: 'Completed', at: NOW } as const;
  const label = (text: string) => ({ type: 'UpdateRun', label: text, at: NOW }) as const;

  /** A log on which another writer comes first before each of the first appends. */
  function contested(times: number, intrude: () => Promise<unknown>): EventLog {
    let left = times;
    return {
      ...stores.log,
      async append(...call) {
        if (left > 0) {
          left -= 1;
          await intrude();
        }
        return stores.log.append(...call);
      },
    };
  }

  it('reads a stream once for all requests that wait, and each sees all events from before its request', async () => {
    const { team, runStream } = await givenRun(stores.log);
    let reads = 0;
    let letGo = () => undefined as void;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const slow: EventLog = {
      ...stores.log,
      async readStream(...call) {
        reads += 1;
        const page = await stores.log.readStream(...call);
        await held;
        return page;
      },
    };
    const commands = openCommandHandler(slow);
    const early = commands.load(run, runStream);
    await openCommandHandler(stores.log).execute(run, runStream, contextOf(team), label('changed'));
    const late = Array.from({ length: 50 }, () => commands.load(run, runStream));
    letGo();
    await early;
    for (const state of await Promise.all(late)) expect(state).to.include({ label: 'changed' });
    expect(reads).to.equal(2);
  });

  it('reads nothing where the log knows that nothing has come since', async () => {
    const { team, runStream } = await givenRun(stores.log);
    let reads = 0;
    const commands = openCommandHandler({
      ...stores.log,
      readStream(...call) {
        reads += 1;
        return stores.log.readStream(...call);
      },
    });
    await commands.load(run, runStream);
    const before = reads;
    for (let n = 0; n < 3; n += 1) await commands.load(run, runStream);
    expect(reads).to.equal(before);
    await openCommandHandler(stores.log).execute(run, runStream, contextOf(team), label('changed'));
    expect(await commands.load(run, runStream)).to.include({ label: 'changed' });
    expect(reads).to.be.above(before);
  });

  it('can append to a stream into which other programs put events that the log skips', async () => {
    const { team, runStream } = await givenRun(stores.log);
    await openCommandHandler(stores.log).execute(run, runStream, contextOf(team), label('not seen'));
    const sifting: EventLog = {
      ...stores.log,
      async readStream(...call) {
        const page = await stores.log.readStream(...call);
        return { ...page, events: page.events.filter(({ revision }) => revision !== 1) };
      },
    };
    const commands = openCommandHandler(sifting);
    await openCommandHandler(stores.log).execute(run, runStream, contextOf(team), label('seen'));
    const { appended } = await commands.execute(run, runStream, contextOf(team), label('written'));
    expect(appended?.revision).to.equal(3);
  });

  it('appends the decided events with actor, instant and request', async () => {
    const { commands, team, runStream } = await givenRun(stores.log);
    const ids = {
      ...newIds,
      event: (_: string, n: number) => `00000000-0000-4000-8000-00000000000${n}`,
    };
    const context = contextOf(team, { actor: 'key_7', correlationId: 'request 7', ids });
    const { state, appended } = await commands.execute(run, runStream, context, {
      ...complete,
      label: 'weekly',
    });
    const [, ...events] = await eventsOf(stores.log, runStream);
    expect(events.map(({ id, type, version }) => ({ id, type, version }))).to.deep.equal([
      { id: ids.event('', 0), type: 'RunDescribed', version: eventVersions.RunDescribed },
      { id: ids.event('', 1), type: 'RunCompleted', version: eventVersions.RunCompleted },
    ]);
    for (const { meta } of events) {
      const expected = {
        team_id: team,
        actor: 'key_7',
        at: NOW,
        correlation_id: 'request 7',
        causation_id: null,
      };
      expect(meta).to.deep.equal(expected);
    }
    expect(appended).to.deep.equal({ revision: 2, position: events[1]!.position });
    expect(state).to.deep.equal(await openCommandHandler(stores.log).load(run, runStream));
    expect(state).to.include({ label: 'weekly', status: 'Completed' });
  });

  it('appends nothing if nothing happens, and returns the state', async () => {
    const { commands, runStream, context } = await givenRun(stores.log);
    const executed = await commands.execute(run, runStream, context, label('nightly'));
    expect(executed.appended).to.equal(null);
    expect(executed.state).to.include({ label: 'nightly' });
    expect(await eventsOf(stores.log, runStream)).to.have.length(1);
  });

  it('appends nothing if the decider refuses, or the function that makes the command', async () => {
    const { commands, team, runStream, context } = await givenRun(stores.log);
    await refusal(commands.execute(run, `run-${team}.none`, context, complete), 'not_found');
    const refused = commands.execute(run, runStream, context, async () => fail('project_inactive', 'No.'));
    await refusal(refused, 'project_inactive');
    expect(await eventsOf(stores.log, runStream)).to.have.length(1);
    expect(await eventsOf(stores.log, `run-${team}.none`)).to.have.length(0);
  });

  it('checks what other streams say after the decider has accepted, and before it appends', async () => {
    const { commands, runStream, context } = await givenRun(stores.log);
    const inactive = async () => fail('project_inactive', 'It takes no writes.');
    await refusal(
      commands.execute(run, runStream, context, complete, { check: inactive }),
      'project_inactive',
    );
    const unknown = `run-team_1.${newIds.created('run')}`;
    await refusal(commands.execute(run, unknown, context, complete, { check: inactive }), 'not_found');
    expect(await eventsOf(stores.log, runStream)).to.have.length(1);
  });

  it('checks a command that changes nothing, too, with the state before it', async () => {
    const { commands, runStream, context } = await givenRun(stores.log);
    const seen: Run[] = [];
    const check = async (state: Run) => void seen.push(state);
    const same = { type: 'UpdateRun', status: 'Pending', at: NOW } as const;
    const { state } = await commands.execute(run, runStream, context, same, { check });
    expect(seen).to.deep.equal([state]);
  });

  it('reads a stream of several pages', async () => {
    const { commands, runStream, context } = await givenRun(stores.log);
    const [created] = await eventsOf(stores.log, runStream);
    const { meta, data } = created!;
    const { run_id, project_id } = data as { run_id: string; project_id: string };
    const described = Array.from({ length: 2_500 }, (_, n) => ({
      id: newIds.event('', 0),
      type: 'RunDescribed',
      version: 1,
      data: { run_id, project_id, label: `label ${n}` },
      meta,
    }));
    await stores.log.append(runStream, 0, described);
    for (const each of [commands, openCommandHandler(stores.log)]) {
      expect(await each.load(run, runStream)).to.include({ label: 'label 2499' });
    }
    expect((await commands.execute(run, runStream, context, complete)).appended?.revision).to.equal(2_501);
  });

  describe('with commands of several requests together', () => {
    const requests = (team: string, ...commands: RunCommand[]) =>
      commands.map((command) => ({ context: contextOf(team), command }));

    it('appends once, and answers each request with the state and the revision after its own command', async () => {
      const { team, runStream } = await givenRun(stores.log);
      let appends = 0;
      const commands = openCommandHandler({
        ...stores.log,
        append: (...call) => {
          appends += 1;
          return stores.log.append(...call);
        },
      });
      const before = await commands.load(run, runStream);
      const outcomes = await commands.executeTogether(
        run,
        runStream,
        requests(team, label('one'), label('one'), label('two')),
      );
      const seen = outcomes!.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        const { state, appended } = each.value;
        return [(state as { label: string }).label, appended?.revision ?? null];
      });
      expect(before).to.include({ life: 'present' });
      const { events } = await stores.log.readStream(runStream, { limit: 100 });
      const last = events.at(-1)!.revision;
      expect(seen).to.deep.equal([
        ['one', last - 1],
        ['one', null],
        ['two', last],
      ]);
      expect(appends).to.equal(1);
      expect(await commands.load(run, runStream)).to.deep.equal(
        await openCommandHandler(stores.log).load(run, runStream),
      );
    });

    it('refuses one, and lets the others happen', async () => {
      const { team, runStream } = await givenRun(stores.log);
      const commands = openCommandHandler(stores.log);
      const refused = { context: contextOf(team), command: async () => fail('forbidden', 'Not this one.') };
      const [first, second, third] = (await commands.executeTogether(run, runStream, [
        ...requests(team, label('one')),
        refused,
        ...requests(team, label('two')),
      ]))!;
      expect([first!.status, second!.status, third!.status]).to.deep.equal([
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(await commands.load(run, runStream)).to.include({ label: 'two' });
    });

    it('writes nothing if another writer comes first, or if they are too much for one append', async () => {
      const { team, runStream } = await givenRun(stores.log);
      const intrude = () =>
        openCommandHandler(stores.log).execute(run, runStream, contextOf(team), label('intruder'));
      const together = (log: EventLog) =>
        openCommandHandler(log).executeTogether(run, runStream, requests(team, label('one'), label('two')));
      expect(await together(contested(1, intrude))).to.equal(null);
      expect(await together({ ...stores.log, limits: { events: 1, bytes: 1_000_000 } })).to.equal(null);
      expect(await together({ ...stores.log, limits: { events: 100, bytes: 100 } })).to.equal(null);
      expect(await openCommandHandler(stores.log).load(run, runStream)).to.include({ label: 'intruder' });
    });
  });

  describe('when other writers come first', () => {
    it('decides again on the new state', async () => {
      const { team, runStream, commands: other } = await givenRun(stores.log);
      const intrude = () => other.execute(run, runStream, contextOf(team), complete);
      const commands = openCommandHandler(contested(3, intrude));
      const seen: number[] = [];
      const command = async (state: Run): Promise<RunCommand> => {
        seen.push(state.life === 'present' ? state.completions : -1);
        return complete;
      };
      const { state } = await commands.execute(run, runStream, contextOf(team), command);
      expect(seen).to.deep.equal([0, 1, 2, 3]);
      expect(state).to.include({ completions: 4 });
      const events = (await eventsOf(stores.log, runStream)).slice(1);
      expect(events.map(({ data }) => (data as { completion: number }).completion)).to.deep.equal([
        1, 2, 3, 4,
      ]);
    });

    it('appends nothing if the new state leaves nothing to do', async () => {
      const { team, runStream, commands: other } = await givenRun(stores.log);
      const intrude = () => other.execute(run, runStream, contextOf(team), label('weekly'));
      const executed = await openCommandHandler(contested(1, intrude)).execute(
        run,
        runStream,
        contextOf(team),
        label('weekly'),
      );
      expect(executed.appended).to.equal(null);
      expect(executed.state).to.include({ label: 'weekly' });
      expect(await eventsOf(stores.log, runStream)).to.have.length(2);
    });

    it('gives up after its last try, and says when to try again', async () => {
      const { team, runStream, commands: other } = await givenRun(stores.log);
      let intrusions = 0;
      const intrude = () => {
        intrusions += 1;
        return other.execute(run, runStream, contextOf(team), complete);
      };
      const commands = openCommandHandler(contested(1_000, intrude));
      const error = await refusal(
        commands.execute(run, runStream, contextOf(team), label('weekly')),
        'write_conflict',
      );
      expect(error).to.include({ retryAfter: 1 });
      expect(intrusions).to.be.within(2, 100);
      expect(await other.load(run, runStream)).to.include({ label: 'nightly', completions: intrusions });
    });

    it('loses none of many commands at once on two nodes', async () => {
      const { team, runStream } = await givenRun(stores.log);
      const nodes = [openCommandHandler(stores.log), openCommandHandler(stores.log)];
      await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          nodes[n % 2]!.execute(run, runStream, contextOf(team), complete),
        ),
      );
      for (const node of nodes) expect(await node.load(run, runStream)).to.include({ completions: 12 });
    });
  });

  describe('on two nodes', () => {
    it('sees every write that the other node has answered, whatever it had cached', async () => {
      const { commands: one, team, runStream } = await givenRun(stores.log);
      const other = openCommandHandler(stores.log);
      for (let n = 1; n <= 4; n += 1) {
        const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one];
        await writer.execute(run, runStream, contextOf(team), label(`label ${n}`));
        expect(await reader.load(run, runStream)).to.include({ label: `label ${n}` });
      }
    });

    it('keeps streams apart with a cache of one stream', async () => {
      const [first, second] = [await givenRun(stores.log), await givenRun(stores.log)];
      const commands = openCommandHandler(stores.log, { keep: 1 });
      for (const name of ['a1', 'b2', 'c3']) {
        for (const { team, runStream } of [first, second]) {
          const { state } = await commands.execute(run, runStream, contextOf(team), label(`${name} ${team}`));
          expect(state).to.include({ label: `${name} ${team}` });
        }
      }
      expect(await commands.load(run, first.runStream)).to.include({ label: `c3 ${first.team}` });
    });
  });

  describe('on a stream that is named for the command', () => {
    const creating = (team: string) => {
      const run_id = newIds.created('run');
      const create = {
        type: 'CreateRun',
        run_id,
        project_id: 'project_1',
        label: null,
        metadata: null,
      } as const;
      return { stream: `run-${team}.${run_id}`, create };
    };

    it('reads nothing before it appends', async () => {
      let reads = 0;
      const counting: EventLog = {
        ...stores.log,
        readStream: async (...call) => {
          reads += 1;
          return stores.log.readStream(...call);
        },
      };
      const { stream, create } = creating('team_1');
      const commands = openCommandHandler(counting);
      const { state } = await commands.execute(run, stream, contextOf('team_1'), create, { newStream: true });
      expect(state).to.include({ test_run_id: create.run_id });
      expect(reads).to.equal(0);
    });

    it('decides on the events of the stream if it is not empty after all', async () => {
      const { stream, create } = creating('team_1');
      const execute = (commands: CommandHandler) =>
        commands.execute(run, stream, contextOf('team_1'), create, { newStream: true });
      await execute(openCommandHandler(stores.log));
      await refusal(execute(openCommandHandler(stores.log)), 'write_conflict');
      expect(await eventsOf(stores.log, stream)).to.have.length(1);
    });
  });
});
