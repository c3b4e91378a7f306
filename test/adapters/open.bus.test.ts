import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBus } from '../../src/adapters/open.js';
import { readConfig } from '../../src/config.js';
import { message, place } from '../contract/bus/subject.js';

describe('the bus that a configuration asks for', () => {
  const closing: (() => Promise<void> | void)[] = [];
  const open = async (env: Record<string, string>) =>
    openBus(
      readConfig(env),
      (close) => void closing.push(close),
      () => undefined,
    );

  it('is a file beside the others, and is closed at the stop', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'testledger-bus-'));
    const bus = await open({ DATA_DIR: folder });
    await bus.publish([message(1)]);
    expect(await bus.last()).to.equal(place(1));
    expect(existsSync(join(folder, 'bus.sqlite'))).to.equal(true);
    for (const close of closing) await close();
    expect(await bus.last().then(() => 'open', String)).to.include('closed');
    await rm(folder, { recursive: true });
  });

  it('stops the start when its URL is wrong, and shows no password', async () => {
    const said = await open({ BUS_URL: 'nats://me:hush@nats?stream=a.b' }).then(() => 'opened', String);
    expect(said).to.include('must name a stream').and.not.to.include('hush');
  });
});
