import { expect } from 'chai';
import {
  openIdempotency,
  type StoredAnswer,
  type IdempotentRequest,
} from '../../src/commands/idempotency.js';
import { LEASE_MS } from '../../src/leases/lease.js';
import type { State } from '../../src/ports/state.js';
import { AppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { embeddedStores, NOW } from '../stores.js';

const DAY = 86_400_000;

describe('an Idempotency-Key', () => {
  const stores = embeddedStores('each test', { log: false });
  const reported: unknown[] = [];
  beforeEach(() => void reported.splice(0));
  const key = { scope: 'a scope', bodyHash: 'a body', project_ids: null };
  const created: StoredAnswer = { status: 200, body: '{"test_result_id":"result_1"}' };

  function server(boot = 'one', { alone = false, state = stores.state } = {}) {
    const begin = openIdempotency(state, { boot, alone }, stores.clock, (error) => void reported.push(error));
    return {
      begin,
      /** Begins the request. */
      attempt: async (one = key): Promise<IdempotentRequest> => {
        const begun = await begin(one);
        return 'ids' in begun ? begun : expect.fail('it was answered before');
      },
      /** Expects the stored answer and returns it. */
      answer: async (one = key): Promise<StoredAnswer> => {
        const begun = await begin(one);
        return 'ids' in begun ? expect.fail('it was not answered before') : begun;
      },
    };
  }

  /** The values that all tries of one request share. */
  const idsOf = ({ ids, at }: IdempotentRequest) => [ids.created('result'), ids.event('a stream', 0), at];

  it('gives the same answer as the first time to the same body, on every node and after a restart', async () => {
    const attempt = await server().attempt();
    expect(attempt).to.include({ at: NOW, resumed: false });
    await attempt.answered(created, { secret: false });
    expect(await server().answer()).to.deep.equal(created);
    expect(await server('other').answer()).to.deep.equal(created);
    await stores.restart();
    expect(await server('a later start', { alone: true }).answer()).to.deep.equal(created);
  });

  it('stores an answer without a body', async () => {
    await (await server().attempt()).answered({ status: 204, body: null }, { secret: false });
    expect(await server().answer()).to.deep.equal({ status: 204, body: null });
  });

  it('is refused with another body, answered or not', async () => {
    const attempt = await server().attempt();
    const other = { ...key, bodyHash: 'another body', project_ids: null };
    await refusal(server().begin(other), 'idempotency_mismatch');
    await attempt.answered(created, { secret: false });
    await refusal(server().begin(other), 'idempotency_mismatch');
  });

  it('in another scope is another key', async () => {
    const [one, other] = [
      await server().attempt(),
      await server().attempt({ ...key, scope: 'another scope' }),
    ];
    expect(idsOf(one)).not.to.deep.equal(idsOf(other));
  });

  it('answers for 24 h from the first try, and then is free', async () => {
    const attempt = await server().attempt();
    stores.clock.forward(5_000);
    await attempt.answered(created, { secret: false });
    stores.clock.forward(DAY - 5_000);
    expect(await server().answer()).to.deep.equal(created);
    stores.clock.forward(1);
    expect((await server().attempt()).resumed).to.equal(false);
  });

  describe('whose answer is made from its events on each repeat', () => {
    it('stores no answer: for 24 h, any number of repeats may run at once with the same ids', async () => {
      const first = await server().attempt();
      expect(await first.answered(created, { again: true })).to.deep.equal(created);
      const { key: name } = (await stores.state.list('idempotency', { limit: 1 }))[0]!;
      const kept = await stores.state.get('idempotency', name);
      expect(JSON.stringify(kept)).not.to.include('result_1');
      await stores.restart();
      const repeats = await Promise.all([server().attempt(), server('other').attempt(), server().attempt()]);
      for (const repeat of repeats) {
        expect(repeat.resumed).to.equal(true);
        expect(idsOf(repeat)).to.deep.equal(idsOf(first));
        await repeat.refused();
        await repeat.unknown();
        expect(await repeat.answered(created, { again: true })).to.deep.equal(created);
      }
      await refusal(
        server().begin({ ...key, bodyHash: 'another body', project_ids: null }),
        'idempotency_mismatch',
      );
      stores.clock.forward(DAY - 1);
      expect(idsOf(await server().attempt())).to.deep.equal(idsOf(first));
      stores.clock.forward(2);
      expect((await server().attempt()).resumed).to.equal(false);
    });

    it('gives a late try its own answer, which comes from the same events', async () => {
      const late = await server().attempt();
      stores.clock.forward(LEASE_MS);
      const attempt = await server('other').attempt();
      await attempt.answered(created, { again: true });
      expect(await late.answered(created, { again: true })).to.deep.equal(created);
    });

    it('is not answered if State cannot store even this', async () => {
      const state: State = { ...stores.state };
      const attempt = await server('one', { state }).attempt();
      state.put = () => Promise.reject(new AppError('state_unavailable', 'State is away.'));
      await refusal(attempt.answered(created, { again: true }), 'state_unavailable');
    });
  });

  describe('while a request with it is in progress', () => {
    it('lets one of many requests work, on whatever nodes they arrive', async () => {
      const nodes = [server('one'), server('other')];
      const begun = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => nodes[n % 2]!.begin(key)));
      expect(begun.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
      for (const each of begun.filter((one) => one.status === 'rejected')) {
        const error = await refusal(Promise.reject(each.reason), 'in_flight');
        expect(error).to.include({ retryAfter: 1 });
      }
    });

    it('is taken over by a request with the same body, ids and instant when its lease has lapsed', async () => {
      const first = await server().attempt();
      stores.clock.forward(LEASE_MS - 1);
      await refusal(server('other').begin(key), 'in_flight');
      stores.clock.forward(1);
      const second = await server('other').attempt();
      expect(second.resumed).to.equal(true);
      expect(idsOf(second)).to.deep.equal(idsOf(first));
      await refusal(server('third').begin(key), 'in_flight');
    });

    it('is taken over where a clock that ran a year ahead and was set back wrote the end of its lease', async () => {
      stores.clock.forward(365 * DAY);
      const first = await server().attempt();
      stores.clock.forward(-365 * DAY);
      const second = await server('other').attempt();
      expect(second.resumed).to.equal(true);
      expect(idsOf(second)).to.deep.equal(idsOf(first));
      await refusal(server('third').begin(key), 'in_flight');
      expect(await first.takenOver()).to.equal(true);
    });

    it('keeps the answer of the request that took over; a late answer changes nothing', async () => {
      const late = await server().attempt();
      stores.clock.forward(LEASE_MS);
      const attempt = await server('other').attempt();
      await refusal(late.answered({ status: 200, body: 'late' }, { secret: false }), 'in_flight');
      await refusal(server().begin(key), 'in_flight');
      await late.refused();
      await late.unknown();
      await refusal(server().begin(key), 'in_flight');
      expect(await attempt.answered(created, { secret: false })).to.deep.equal(created);
      expect(await server().answer()).to.deep.equal(created);
      expect(await late.answered({ status: 200, body: 'late' }, { secret: false })).to.deep.equal(created);
    });

    it('is free at once after a restart if no other server can use State', async () => {
      const first = await server('first start', { alone: true }).attempt();
      await refusal(server('first start', { alone: true }).begin(key), 'in_flight');
      await stores.restart();
      const second = await server('second start', { alone: true }).attempt();
      expect(second.resumed).to.equal(true);
      expect(idsOf(second)).to.deep.equal(idsOf(first));
    });

    it('is not free after a restart if another server may use State', async () => {
      await server('first start').attempt();
      await refusal(server('second start').begin(key), 'in_flight');
    });
  });

  it('is free again after a refusal, also for another body, and leaves no entry', async () => {
    const first = await server().attempt();
    await first.refused();
    const second = await server().attempt({ ...key, bodyHash: 'another body', project_ids: null });
    expect(second.resumed).to.equal(false);
    expect(idsOf(second)).not.to.deep.equal(idsOf(first));
  });

  it('is free for the next try at once if the outcome of the write is unknown', async () => {
    const first = await server().attempt();
    await first.unknown();
    await refusal(
      server().begin({ ...key, bodyHash: 'another body', project_ids: null }),
      'idempotency_mismatch',
    );
    const second = await server('other').attempt();
    expect(second.resumed).to.equal(true);
    expect(idsOf(second)).to.deep.equal(idsOf(first));
  });

  it('answers with a secret once, and does not store the secret', async () => {
    const answer = { status: 201, body: '{"key":"tl_ThisIsTheSecret"}' };
    await (await server().attempt()).answered(answer, { secret: true });
    await refusal(server().begin(key), 'already_answered');
    await refusal(
      server().begin({ ...key, bodyHash: 'another body', project_ids: null }),
      'idempotency_mismatch',
    );
    const entries = await stores.state.list('idempotency', { limit: 10 });
    expect(entries).to.have.length(1);
    expect(JSON.stringify(entries)).not.to.include('ThisIsTheSecret');
  });

  describe('when State is unavailable', () => {
    const away = async (): Promise<never> => {
      throw new AppError('state_unavailable', 'It is away.');
    };

    it('refuses the request before any work on it', async () => {
      await refusal(server('one', { state: { ...stores.state, get: away } }).begin(key), 'state_unavailable');
      await refusal(server('one', { state: { ...stores.state, put: away } }).begin(key), 'state_unavailable');
    });

    /** A first try, after which State is unavailable. */
    async function abandoned() {
      let put: State['put'] = (...call) => stores.state.put(...call);
      const state: State = { ...stores.state, put: (...call) => put(...call), remove: away };
      const first = await server('one', { state }).attempt();
      put = away;
      return first;
    }

    async function expectLooking(first: IdempotentRequest) {
      stores.clock.forward(LEASE_MS);
      const second = await server('other').attempt();
      expect(second.resumed).to.equal(true);
      expect(idsOf(second)).to.deep.equal(idsOf(first));
    }

    for (const end of ['refused', 'unknown'] as const) {
      it(`does not delay a request that is ${end}: the fault is reported, and the next try looks for events`, async () => {
        const first = await abandoned();
        await first[end]();
        // Renewals that fell due meanwhile report theirs, too.
        expect(reported).to.have.length.above(0);
        await expectLooking(first);
      });
    }

    it('gives no answer that it could not store: a repeat might get another one', async () => {
      const first = await abandoned();
      await refusal(first.answered(created, { secret: false }), 'state_unavailable');
      await expectLooking(first);
    });

    it('gives an answer with a secret all the same: no repeat could get the secret', async () => {
      const first = await abandoned();
      expect(await first.answered(created, { secret: true })).to.deep.equal(created);
      expect(reported).to.have.length.above(0);
      await expectLooking(first);
    });
  });
});
