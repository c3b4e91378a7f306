/**
 * The servers of `npm run test:stack`: those that `TEST_EVENTS_URL`, `TEST_VIEWS_URL`, `TEST_BLOBS_URL` and `TEST_BUS_URL`
 * name. For each that is not set, the setup starts one: a stand-in of EventStoreDB, a real mongod, a real S3 server, a
 * real nats-server. The run fails where one cannot be started: no test is skipped.
 */
import { startStandIn } from './esdb.js';
import { startMongod } from './mongod.js';
import { startNats } from './nats.js';
import type { StackServer } from '../kit/stack-server.js';
import { startVersitygw } from './versitygw.js';

const started: StackServer[] = [];

export async function mochaGlobalSetup(): Promise<void> {
  process.env['TEST_EVENTS_URL'] ||= await urlOf(startStandIn);
  process.env['TEST_VIEWS_URL'] ||= await urlOf(startMongod);
  process.env['TEST_BLOBS_URL'] ||= await s3();
  process.env['TEST_BUS_URL'] ||= await urlOf(startNats);
}

export async function mochaGlobalTeardown(): Promise<void> {
  for (const server of started) await server.stop();
}

/** The SDK reads the credentials from the environment; those of a server that was named are there already. */
async function s3(): Promise<string> {
  const server = await startVersitygw();
  started.push(server);
  Object.assign(process.env, server.env);
  return server.blobsUrl;
}

async function urlOf(start: () => Promise<StackServer>): Promise<string> {
  const server = await start();
  started.push(server);
  return server.url;
}
