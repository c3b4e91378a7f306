/**
 * A worker: a process that answers HTTP for the first process of its server (`roles/http-workers/start.ts`). It reads the stores itself, has
 * a thread for large submissions, and stops when the first process says so.
 */
import { announcementChannels, type OnStop } from './adapters/open.js';
import type { Connections } from './http/protocol/connections.js';
import { openPointExchange } from './concurrency/shared-points.js';
import { reasonOf } from './errors.js';
import { createLogger } from './logger.js';
import { collectWhenIdle } from './memory/collect-when-idle.js';
import { limitHeapGrowth } from './memory/limit-heap-growth.js';
import { openApi } from './roles/api.js';
import { openCore, type Core, type FirstProcess } from './roles/core.js';
import { startHttp } from './roles/http.js';
import { remoteAppends } from './roles/remote-append.js';
import { openAnnouncements, type Announcements } from './roles/http-workers/announcements.js';
import { COUNT_EVERY_MS } from './roles/http-workers/balance.js';
import { batched } from './roles/http-workers/batched.js';
import { mapUncaughtErrors } from './source-maps.js';
import type { Begin, FromWorker, Overview, ToWorker } from './roles/http-workers/messages.js';

mapUncaughtErrors();
limitHeapGrowth();
collectWhenIdle();
// The first process has the signals of the whole group too, and ends this one in its turn.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
// Without the first process, nothing can be written and nobody stops this one.
process.on('disconnect', () => process.exit(1));

const messages = batched<FromWorker>((all) => void process.send!(all));
const post = messages.send;
const appends = remoteAppends(post);
const exchange = openPointExchange((taken) => post({ type: 'points', taken }));
const asked = new Map<number, (overview: Overview | { error: string }) => void>();
const closing: (() => Promise<void> | void)[] = [];
const onStop: OnStop = (close) => void closing.push(close);
let calls = 0;
let core: Core | null = null;
let announcements: Announcements | null = null;
let connections: Connections | null = null;
let flushLog = (): Promise<void> => Promise.resolve();

process.on('message', (all: ToWorker[]) => all.forEach(receive));

function receive(message: ToWorker): void {
  switch (message.type) {
    case 'begin':
      begin(message).catch((error: unknown) => {
        // The first process starts another one when this one has ended.
        const failed: FromWorker = { type: 'failed', error: reasonOf(error) };
        process.send!([failed], () => process.exit(1));
      });
      return;
    case 'appended':
      appends.answered(message);
      return;
    case 'announced':
      announcements?.received(message);
      return;
    case 'points':
      exchange.received(message.taken);
      return;
    case 'measure':
      void measure(message.call);
      return;
    case 'overview':
      asked.get(message.call)?.(message.overview);
      asked.delete(message.call);
      return;
    case 'end_connections':
      connections?.endAfterAnswer(message.count);
      return;
    case 'stop':
      void stop();
      return;
  }
}

post({ type: 'loaded' });

/** Opens the stores and listens. @throws Error when one of them cannot be opened, or when the port is taken. */
async function begin({ config, boot, makesFirstStart }: Begin): Promise<void> {
  const { logger, flush } = createLogger(config.logLevel);
  flushLog = flush;
  const first: FirstProcess = { boot, append: appends.append, points: exchange.of, overview };
  core = await openCore(config, logger, onStop, first);
  announcements = openAnnouncements(announcementChannels(config), post);
  const api = await openApi(core);
  const http = await startHttp(core, api, logger);
  onStop(http.stop);
  connections = http.connections;
  onStop(tellConnections(http.connections));
  const firstStart = makesFirstStart ? await api.newFirstStart() : null;
  post({ type: 'up', url: http.url, routes: http.routes, firstStart });
}

/** Tells the first process how many connections are active, until the function is called that it returns. */
function tellConnections({ takeActive }: Connections): () => void {
  const timer = setInterval(() => post({ type: 'connections', active: takeActive() }), COUNT_EVERY_MS);
  return () => clearInterval(timer);
}

async function measure(call: number): Promise<void> {
  if (core === null) return;
  const measured = { metrics: await core.metrics.own(), facts: await core.ownFacts() };
  post({ type: 'measured', call, measured });
}

function overview(): Promise<Overview> {
  return new Promise((resolve, reject) => {
    calls += 1;
    asked.set(calls, (found) => ('error' in found ? reject(new Error(found.error)) : resolve(found)));
    post({ type: 'overview', call: calls });
  });
}

async function stop(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) {
    // One that fails must not keep the others open.
    await Promise.resolve()
      .then(close)
      .catch((error: unknown) => core?.report(error));
  }
  announcements?.close();
  exchange.close();
  await flushLog();
  process.exit(0);
}
