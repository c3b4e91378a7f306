import { expect } from 'chai';
import { maskedLog } from '../../src/log/masked-log.js';
import { openMasks } from '../../src/log/masks.js';
import { AppError } from '../../src/errors.js';
import { openSealer } from '../../src/secret-key/secret-keys.js';
import type { State } from '../../src/ports/state.js';
import { newIds } from '../../src/commands/ids.js';
import type { RecordedEvent } from '../../src/domain/event.js';
import { run } from '../../src/domain/runs/run.js';
import { embeddedStores, eventsOf, givenRun } from '../stores.js';

describe('the masks of redactions', () => {
  const stores = embeddedStores('each test');
  const sealer = openSealer({ current: 'a secret', previous: null }, 'redactions');

  async function givenMasked(state: Pick<State, 'get' | 'put'> = stores.state) {
    const { team } = await givenRun(stores.log);
    const up_to = await stores.log.head();
    const mask = { id: 'one', team, up_to, sealed: sealer.seal(team, 'nightly'), project: null };
    return { masks: openMasks(state, sealer), mask, team };
  }

  it('hide a text from every read of the log, up to their position', async () => {
    const { commands, team, run_id, runStream, context } = await givenRun(stores.log);
    const masks = openMasks(stores.state, sealer);
    const log = maskedLog(stores.log, masks);
    const up_to = await stores.log.head();
    await masks.add({ id: 'one', team, up_to, sealed: sealer.seal(team, 'nightly'), project: null });
    await masks.spread();
    const changed = { type: 'UpdateRun', at: context.at, metadata: { note: 'nightly' } } as const;
    await commands.execute(run, runStream, { ...context, ids: newIds }, changed);
    const labels = (events: readonly RecordedEvent[]) => events.map(({ data }) => JSON.stringify(data));
    const seen = labels(await eventsOf(log, runStream));
    expect(seen.map((each) => each.includes('nightly'))).to.deep.equal([false, true]);
    const { events } = await log.readAll({ after: '', filter: { streams: [`run-${team}.`] } });
    expect(labels(events)).to.deep.equal(seen);
    expect(seen[0]).to.contain(run_id);
  });

  it('are seen by another process once they are spread, and gone when they are removed', async () => {
    const { masks, mask } = await givenMasked();
    const other = openMasks(stores.state, sealer);
    const before = await other.current();
    expect(before.of(mask.team)).to.deep.equal([]);
    await masks.add(mask);
    await masks.spread();
    const after = await other.current();
    expect(after.of(mask.team)).to.deep.equal([{ up_to: mask.up_to, text: 'nightly', project: null }]);
    expect(after.of('team_2')).to.deep.equal([]);
    expect(after.generation).to.be.greaterThan(before.generation);
    await masks.remove('one');
    await masks.spread();
    expect((await other.current()).all).to.deep.equal([]);
  });

  it('hold no text in the state that is not sealed', async () => {
    const { masks, mask } = await givenMasked();
    await masks.add(mask);
    const entries = await stores.state.list('redaction-masks', { limit: 10 });
    expect(entries).to.have.length(1);
    expect(JSON.stringify(entries)).not.to.contain('nightly');
  });

  it('stay as they were known while the state is away, and a read without any knowledge fails', async () => {
    let away = false;
    const get: State['get'] = (...asked) => {
      if (away) return Promise.reject(new AppError('state_unavailable', 'away'));
      return stores.state.get(...asked);
    };
    const { masks, mask, team } = await givenMasked({ get, put: stores.state.put });
    await masks.add(mask);
    await masks.spread();
    away = true;
    await masks.spread().catch(() => undefined);
    expect((await masks.current()).of(team)).to.have.length(1);
    const blind = openMasks({ get, put: stores.state.put }, sealer);
    const error = await Promise.resolve(blind.current()).catch((fault: unknown) => fault);
    expect(error).to.be.instanceOf(AppError);
  });
});
