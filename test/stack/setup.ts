/**
 * The servers of `npm run test:stack`: those that `TEST_EVENTS_URL` and `TEST_VIEWS_URL` name, and for what is not
 * named a stand-in of EventStoreDB and a real mongod. One that cannot be had fails the run: nothing is skipped.
 */
import { startStandIn } from './esdb.js';
import { startMongod } from './mongod.js';
import type { StackServer } from './stack-server.js';

const started: StackServer[] = [];

export async function mochaGlobalSetup(): Promise<void> {
  process.env['TEST_EVENTS_URL'] ||= await urlOf(startStandIn);
  process.env['TEST_VIEWS_URL'] ||= await urlOf(startMongod);
}

export async function mochaGlobalTeardown(): Promise<void> {
  for (const server of started) await server.stop();
}

async function urlOf(start: () => Promise<StackServer>): Promise<string> {
  const server = await start();
  started.push(server);
  return server.url;
}
