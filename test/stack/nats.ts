/** A real nats-server with JetStream. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { parseNatsUrl } from '../../src/adapters/nats/url.js';
import { freePort } from '../kit/free-port.js';
import { installGoProgram, natsServerProgram } from './install.js';
import { startProgram } from '../kit/other-program.js';
import type { StackServer } from '../kit/stack-server.js';

export type NatsServer = StackServer & {
  /** Starts it again after `kill`, on the same port without its data, as after the loss of its disk. */
  startEmpty(): Promise<void>;
  /** Stops it without ending it: it accepts connections and answers nothing. */
  freeze(): void;
  thaw(): void;
};

const READY_MS = 30_000;

/** Starts a nats-server on a free loopback port with an empty folder. @throws Error with the reason where it does not start. */
export async function startNats({ users = '', jetstream = true } = {}): Promise<NatsServer> {
  const file = await installGoProgram(natsServerProgram);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'testledger-nats-'));
  const store = join(folder, 'store');
  await mkdir(store);
  // With this, everything that it has answered is on the disk.
  const storage = `jetstream { store_dir: ${JSON.stringify(store)}, sync_interval: always }`;
  const authorization = users === '' ? '' : `authorization { users: [${users}] }`;
  const lines = [`listen: 127.0.0.1:${port}`, jetstream ? storage : '', authorization];
  await writeFile(join(folder, 'nats.conf'), lines.join('\n'));
  const [user, pass] = /user: "(.*?)", password: "(.*?)"/.exec(users)?.slice(1) ?? [];
  const { signal, ...program } = await startProgram({
    name: 'nats-server',
    file,
    args: ['--config', join(folder, 'nats.conf')],
    folder,
    isReady: () => answers(port, jetstream, { ...(user && pass && { user, pass }) }),
    withinMs: READY_MS,
  });
  return {
    ...program,
    url: `nats://127.0.0.1:${port}`,
    startEmpty: async () => {
      await rm(store, { recursive: true });
      await mkdir(store);
      await program.start();
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

async function answers(
  port: number,
  jetstream: boolean,
  credentials: { user?: string; pass?: string },
): Promise<boolean> {
  const nats = await connect({ ...credentials, port, timeout: 1_000, reconnect: false });
  try {
    if (jetstream) await nats.jetstreamManager({ timeout: 1_000 });
    return true;
  } finally {
    await nats.close();
  }
}

/** The `Nats-Msg-Id` of each message that the stream of a bus holds, in order. */
export async function idsOnNats(busUrl: string): Promise<string[]> {
  const { connection, stream } = parseNatsUrl(busUrl);
  const nats = await connect({ ...connection, timeout: 5_000, reconnect: false });
  try {
    const jsm = await nats.jetstreamManager();
    const info = await jsm.streams.info(stream).catch(() => null);
    if (info === null) return [];
    const { first_seq, last_seq } = info.state;
    const ids: string[] = [];
    for (let seq = Math.max(1, first_seq); seq <= last_seq; seq += 1)
      ids.push((await jsm.streams.getMessage(stream, { seq })).header.get('Nats-Msg-Id'));
    return ids;
  } finally {
    await nats.close();
  }
}
