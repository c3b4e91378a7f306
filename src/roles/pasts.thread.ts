/**
 * The thread of the past: it folds projects as of moments, and answers from what it has folded. So no fold holds up the
 * thread that answers requests, and one that fills the memory ends this thread, not the server.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openPasts } from '../as-of/pasts.js';
import type { FromPast, Past } from '../as-of/past.js';
import { openForPasts, useWriter } from '../adapters/open.js';
import { answerCalls, callsTo } from '../concurrency/thread-calls.js';
import type { Config } from '../config.js';
import type { Document } from '../domain/projection.js';
import { collectWhenIdle } from '../memory/collect-when-idle.js';
import type { Found, ViewQuery } from '../ports/views.js';
import type { MainCalls } from './role-context.js';

export type PastsThreadData = { config: Config };

export type PastCalls = {
  open(past: Past): Promise<void>;
  has(past: Past): Promise<boolean>;
  get(asked: { from: FromPast; ids: readonly string[] }): Promise<(Document | null)[]>;
  find(asked: { from: FromPast; query: ViewQuery }): Promise<Found>;
};

collectWhenIdle();
const port = parentPort!;
const main = callsTo<Pick<MainCalls, 'connect'>>(port);
useWriter({ connect: (connection) => main.tell('connect', connection, [connection.port]) });
/** Opened with the first call, whose answer is then the fault. */
let opened: Promise<ReturnType<typeof openPasts>> | null = null;
const pasts = () => (opened ??= open());

async function open() {
  try {
    const { storedLog } = await openForPasts((workerData as PastsThreadData).config);
    return openPasts(storedLog);
  } catch (error) {
    opened = null;
    throw error;
  }
}

answerCalls<PastCalls>(port, {
  open: async (past) => (await pasts()).open(past),
  has: async (past) => (await pasts()).has(past),
  get: async ({ from, ids }) => (await pasts()).get(from, ids),
  find: async ({ from, query }) => (await pasts()).find(from, query),
});
