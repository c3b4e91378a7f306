import { expect } from 'chai';
import { openTallies } from '../../src/audit/tallies.js';
import { AppError } from '../../src/errors.js';
import type { EventLog } from '../../src/ports/event-log.js';
import { embeddedStores } from '../stores.js';
import { auditOn, TEAM, told } from './given.js';

const act = { act: 'sign_in', subject: { type: 'person', id: 'p' } } as const;
const sender = { actor: 'p', correlationId: 'request' };

describe('the audit', () => {
  const stores = embeddedStores('each test');

  it('tells an act once that several processes tell, and each other act anew', async () => {
    const [one, other] = [auditOn(stores), auditOn(stores)];
    await Promise.all([one, other].map(({ audit }) => audit.tell([TEAM], act, sender, 'once')));
    expect(await told(stores)).to.deep.equal(['sign_in p']);
    await one.audit.tell([TEAM], act, sender);
    await one.audit.tell([TEAM], act, sender);
    expect(await told(stores)).to.have.length(3);
  });

  it('keeps what it tells while the log is away, and tells it once the log is back, at a stop too', async () => {
    let isAway = true;
    const append: EventLog['append'] = (...args) => {
      if (isAway) throw new AppError('log_unavailable', 'The log is away.');
      return stores.log.append(...args);
    };
    const { audit, reported } = auditOn(stores, { append });
    await audit.tell([TEAM], act, sender);
    expect(reported).to.have.length(1);
    isAway = false;
    await audit.close();
    expect(await told(stores)).to.deep.equal(['sign_in p']);
  });

  it('tells an act once whose first attempt reached the log without an answer', async () => {
    let isFirst = true;
    const append: EventLog['append'] = async (...args) => {
      const appended = await stores.log.append(...args);
      if (!isFirst) return appended;
      isFirst = false;
      throw new AppError('log_unavailable', 'The log has not answered.');
    };
    const { audit } = auditOn(stores, { append });
    await audit.tell([TEAM], act, sender);
    await audit.close();
    expect(await told(stores)).to.deep.equal(['sign_in p']);
  });

  it('keeps its counts while the state is away', async () => {
    const { audit, report } = auditOn(stores);
    const { state: own, clock } = stores;
    let isAway = true;
    const state = {
      ...own,
      get: async (kind: string, key: string) => {
        if (isAway) throw new AppError('state_unavailable', 'The state is away.');
        return own.get(kind, key);
      },
    } as typeof own;
    const tallies = openTallies({ audit, state, clock, report });
    tallies.count([TEAM], act, sender);
    await tallies.close();
    tallies.count([TEAM], act, sender);
    isAway = false;
    await tallies.close();
    clock.forward(2 * 3_600_000);
    await tallies.tellCounts(new AbortController().signal);
    expect(await told(stores)).to.deep.equal(['sign_in p', 'count 2']);
    expect(await own.list('audit-count', { limit: 10 })).to.deep.equal([]);
  });
});
