/** Two servers on the same stores and NATS: they share the points of each key. */
import { expect } from 'chai';
import { emptyStream } from '../adapters/nats/stream.js';
import { givenKey } from '../http/given.js';
import { servers, type RunningServer } from '../kit/process.js';
import { eventually } from '../stores.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

const PER_SECOND = 20;
/** What a key may send at once. */
const AT_ONCE = 2 * PER_SECOND;
const CLIENTS = 4;

describe('two servers on the same stores and NATS', () => {
  let stores: StoreUrls & { BUS_URL: string };
  let stream: ReturnType<typeof emptyStream>;
  const given = servers(() => stores);
  beforeEach(() => {
    stream = emptyStream();
    stores = { ...emptyStores(), BUS_URL: stream.url };
  });
  afterEach(() => stream.remove());

  it('let a key send RATE_LIMIT requests a second in all', async () => {
    const env = { RATE_LIMIT: String(PER_SECOND) };
    const nodes = [
      await given.start({ env: { ...env, ROLES: 'api,projector' } }),
      await given.start({ env: { ...env, ROLES: 'api' } }),
    ];
    const [probing, key] = [
      await givenKey(nodes[0]!.owner, 'member'),
      await givenKey(nodes[0]!.owner, 'member'),
    ];
    for (const [from, to] of [nodes, nodes.toReversed()] as [RunningServer, RunningServer][])
      await eventually('one hears what the other has let in', async () => {
        await Promise.all(Array.from({ length: AT_ONCE }, () => me(from, probing)));
        return (await me(to, probing)) === 429;
      });

    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1_000;
    // Each point is taken once: however slow the machine is, all that may come at once is let in.
    for (let n = 0; n < AT_ONCE; n += 1) expect(await me(nodes[n % 2]!, key), `request ${n}`).to.equal(200);
    let passed = AT_ONCE;
    let refused = 0;
    const flood = async (node: RunningServer) => {
      while (seconds() < 4 || refused < 50) {
        if ((await me(node, key)) === 200) passed += 1;
        else refused += 1;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => flood(nodes[n % 2]!)));
    const allowed = AT_ONCE + PER_SECOND * seconds();
    // With a limit of its own, each server would let as many pass. What one lets in, the other hears a moment later.
    expect(passed).to.be.below(1.5 * allowed);
  });
});

async function me(node: RunningServer, key: string): Promise<number> {
  return (await node.as(key).get('/v1/me')).status;
}
