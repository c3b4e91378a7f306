/**
 * The servers of `npm run test:stack`: those that `TEST_EVENTS_URL`, `TEST_VIEWS_URL`, `TEST_BLOBS_URL` and `TEST_BUS_URL`
 * name. For each that is not set, the setup starts one: a stand-in of EventStoreDB, a real mongod, a real S3 server, a
 * real nats-server. The run fails where one cannot be started: no test is skipped.
 */
import { startStandIn } from './esdb.js';
import { startMongod } from './mongod.js';
import { startNats } from './nats.js';
import { startAll, type StackServer } from '../kit/stack-server.js';
import { startVersitygw } from './versitygw.js';

const started: StackServer[] = [];

export async function mochaGlobalSetup(): Promise<void> {
  const starts = [
    ['TEST_EVENTS_URL', startStandIn],
    ['TEST_VIEWS_URL', startMongod],
    ['TEST_BLOBS_URL', s3],
    ['TEST_BUS_URL', startNats],
  ] as const;
  const missing = starts.filter(([name]) => !process.env[name]);
  started.push(...(await startAll(missing.map(([, start]) => start()))));
  for (const [n, [name]] of missing.entries()) process.env[name] = started[n]!.url;
}

export async function mochaGlobalTeardown(): Promise<void> {
  await Promise.all(started.map((server) => server.stop()));
}

/** The SDK reads the credentials from the environment; those of a server that was named are there already. */
async function s3(): Promise<StackServer> {
  const { env, blobsUrl, ...server } = await startVersitygw();
  Object.assign(process.env, env);
  return { ...server, url: blobsUrl };
}
