import { expect } from 'chai';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDeliveries } from '../../../src/adapters/sqlite/deliveries/deliveries.js';
import { second } from '../../contract/deliveries/subject.js';

describe('deliveries in a SQLite file', () => {
  it('all exist that were answered, and none is blocked for ever, when the process is killed, round after round', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'testledger-deliveries-'));
    const child = new URL('./deliveries.child.js', import.meta.url);
    const answered = new Map<string, string>();
    for (let round = 0; round < 5; round += 1) {
      const process = fork(child, [folder, String(round * 1_000_000)]);
      const ended = once(process, 'exit');
      const wanted = answered.size + 50 + Math.floor(Math.random() * 300);
      await new Promise<void>((resolve, reject) => {
        process.on('message', ({ ids, state }: { ids: string[]; state: string }) => {
          for (const id of ids) answered.set(id, state);
          if (answered.size >= wanted) resolve();
        });
        process.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
      });
      process.kill('SIGKILL');
      await ended;
    }
    const deliveries = openSqliteDeliveries(folder);
    for (const [id, state] of answered) {
      const held = await deliveries.get(id);
      expect(held, id).to.not.equal(null);
      if (state === 'delivered') expect(held?.delivery.state, id).to.equal('delivered');
    }
    for (const webhook of await deliveries.webhooksWithClaimable(second(1), { limit: 100 })) {
      expect(await deliveries.updatePending(webhook, 'unblock', second(1))).to.equal(0);
      expect(await deliveries.claimable(webhook, second(1), 9)).to.have.length(1);
    }
    await deliveries.close();
    await rm(folder, { recursive: true });
  });
});
