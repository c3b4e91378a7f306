/** A stream of a test's own on a server that others use too. */
import { randomUUID } from 'node:crypto';
import { connect } from 'nats';
import { parseNatsUrl } from '../../../src/adapters/nats/url.js';

/** Nothing is there yet. `server` is that of the run, unless the test has started its own. */
export function emptyStream(server: string = serverOfTheRun()): {
  url: string;
  stream: string;
  /** As an operator does who deletes it. */
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
  return process.env['TEST_BUS_URL'] ?? fault('TEST_BUS_URL is set by the setup of the run');
}

function fault(message: string): never {
  throw new Error(message);
}
