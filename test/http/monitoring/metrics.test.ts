import { expect } from 'chai';
import { createMetrics } from '../../../src/http/metrics.js';

describe('the page of metrics', () => {
  /** Metrics of stores that count how often they are asked. */
  const given = () => {
    const asked = { lag: 0, outbox: 0, deliveries: 0 };
    const stores = { away: false };
    const metrics = createMetrics({
      lag: async () => ({ records: (asked.lag += 1) }),
      stuck: async () => ({ records: 2 }),
      backlog: {
        outbox: async () => (asked.outbox += 1),
        async deliveries() {
          asked.deliveries += 1;
          if (stores.away) throw new Error('away');
          return 7;
        },
      },
    });
    const page = async () => (await metrics.render()).body;
    /** Asks until the page was rendered anew. */
    const next = async () => {
      const first = await page();
      for (;;) {
        const body = await page();
        if (body !== first) return body;
        await new Promise(setImmediate);
      }
    };
    return { asked, stores, page, next };
  };

  it('is rendered once for all requests of a moment, and anew after it', async () => {
    const { asked, page, next } = given();
    const bodies = await Promise.all(Array.from({ length: 100 }, page));
    expect(new Set(bodies).size).to.equal(1);
    expect(asked).to.deep.equal({ lag: 1, outbox: 1, deliveries: 1 });
    expect(await next()).to.include('testledger_projection_lag_seconds{projection="records"} 2');
    expect(asked.lag).to.equal(2);
  });

  it('counts the deliveries in the store for several pages at once, and again after a failure', async () => {
    const { asked, stores, page, next } = given();
    stores.away = true;
    expect(await page()).to.include('testledger_webhook_deliveries_pending Nan');
    stores.away = false;
    expect(await next()).to.include('testledger_webhook_deliveries_pending 7');
    await next();
    expect(asked).to.deep.equal({ lag: 3, outbox: 3, deliveries: 2 });
  });
});
