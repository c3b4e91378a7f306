/** A stream of the test's own, on a server that other tests use too. */
import { randomUUID } from 'node:crypto';
import { connect } from 'nats';
import { parseNatsUrl } from '../../../src/adapters/nats/url.js';

/** The stream does not exist yet. `server` is that of the run, unless the test has started its own. */
export function emptyStream(server: string = serverOfTheRun()): {
  url: string;
  stream: string;
  /** Deletes the stream, as an operator may. */
  remove(): Promise<void>;
} {
  const stream = `t${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const url = `${server}${server.includes('?') ? '&' : '?'}stream=${stream}`;
  return { url, stream, remove: () => removeStream(url) };
}

async function removeStream(url: string): Promise<void> {
  const { connection, stream } = parseNatsUrl(url);
  const nats = await connect({ ...connection, timeout: 5_000 });
  try {
    const jsm = await nats.jetstreamManager();
    await jsm.streams.delete(stream).catch((error: unknown) => {
      if (!String(error).includes('stream not found')) throw error;
    });
  } finally {
    await nats.close();
  }
}

function serverOfTheRun(): string {
  return process.env['TEST_BUS_URL'] ?? fault('the setup of the run must set TEST_BUS_URL');
}

function fault(message: string): never {
  throw new Error(message);
}
