import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { streamPages } from '../../src/log/streams.js';
import { embeddedStores, givenRun } from '../stores.js';

describe('the pages of a stream', () => {
  const stores = embeddedStores('each suite');

  it('let other work run between them, however large the stream is, and hold every event once', async () => {
    const { run_id, project_id, runStream, team } = await givenRun(stores.log);
    const metadata = { text: 'x'.repeat(60_000) };
    const meta = { team_id: team, actor: 'key_1', at: '2026-11-21T12:00:00.000Z' };
    for (let revision = 0; revision < 100; revision += 10) {
      const events = Array.from({ length: 10 }, () => ({
        id: randomUUID(),
        type: 'RunDescribed',
        version: 1,
        data: { run_id, project_id, metadata },
        meta: { ...meta, correlation_id: 'request', causation_id: null },
      }));
      await stores.log.append(runStream, revision, events);
    }
    let turns = 0;
    const timer = setInterval(() => void (turns += 1), 0);
    const pages: number[] = [];
    const read: number[] = [];
    for await (const events of streamPages(stores.log, runStream)) {
      // Work without a pause, such as a fold.
      for (const end = performance.now() + 3; performance.now() < end;);
      pages.push(events.length);
      read.push(...events.map(({ revision }) => revision));
    }
    clearInterval(timer);
    expect(read).to.deep.equal(Array.from({ length: 101 }, (_, revision) => revision));
    expect(Math.max(...pages)).to.be.at.most(20);
    expect(turns).to.be.at.least(pages.length - 2);
  });
});
