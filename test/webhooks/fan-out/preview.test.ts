import { expect } from 'chai';
import { limits } from '../../../src/limits.js';
import { preview } from '../../../src/webhooks/fan-out/preview.js';
import { failureIn } from '../../domain/messages/failure.js';
import { embeddedStores, NOW } from '../../stores.js';
import { bodyOf, messageOf, publish, render, TEAM } from '../stored-messages.js';

const webhook = { url: 'https://example.org/hook', events: ['*'], project_ids: null } as const;
const about = { ...failureIn('project_1'), place: { branch: 'main', environment: '' } };
/** Each is a second after the one before. */
const failures = (count: number) => Array.from({ length: count }, (_, n) => messageOf(n + 1, { about }));
const after = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

describe('the preview of a webhook', () => {
  const stores = embeddedStores('each test', { log: false });
  const of = (now: string, more: object = {}) =>
    preview({ views: stores.reader, render, origin: null, ...more }, { team: TEAM, webhook, now });

  it('counts the messages of the last seven days, and has the newest three of them', async () => {
    const all = failures(1_200);
    await publish(stores.writer, all);
    const now = after(limits.webhookPreviewMs + 200_000);
    expect(await of(now)).to.deep.equal({
      messages: 1_001,
      examples: all.slice(-3).toReversed().map(bodyOf),
      since: after(200_000),
      complete: true,
    });
    expect((await of(after(2_000_000))).messages).to.equal(1_200);
  });

  it('looks at so many of the newest results, and says from when on where there were more', async () => {
    await publish(stores.writer, failures(1_200));
    const some = await of(after(2_000_000), { mostResults: 700 });
    expect(some).to.deep.include({ messages: 700, since: after(501_000), complete: false });
    expect(await of(after(2_000_000), { mostResults: 1_200 })).to.include({ complete: true });
  });

  it('ends after its time, with what it has found so far', async () => {
    await publish(stores.writer, failures(1_200));
    const { messages, complete, since } = await of(after(2_000_000), { longestMs: 0 });
    expect(complete).to.equal(false);
    expect(messages).to.be.within(1, 1_199);
    expect(since).to.equal(after((1_201 - messages) * 1_000));
  });
});
