/**
 * The first process' side of the workers: processes that answer HTTP on one port, where `HTTP_WORKERS` is more than 1.
 *
 * The first process has the one writer of the log, the threads of all other roles and the background work; it answers no
 * HTTP. A worker reads the stores itself, and appends through the first process. The workers share the port by Node's
 * `cluster`, and even out their connections (`balance.ts`). A worker that dies is started again; a worker whose first process has died ends at once.
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { announcementChannels } from '../../adapters/open.js';
import { withTimeout } from '../../concurrency/with-timeout.js';
import { reasonOf } from '../../errors.js';
import { joinedMetrics } from '../../http/metrics.js';
import type { Core } from '../core.js';
import { answerAppend } from '../remote-append.js';
import { openAnnouncements } from './announcements.js';
import { openBalance } from './balance.js';
import { batched, type Batched } from './batched.js';
import type { Begin, FromWorker, Measured, Overview, ToWorker, Up } from './messages.js';

const RESTART_AFTER_MS = 1_000;
/** A stop of the whole server may take 10 s, and requests in flight get 5 s of it. */
const STOP_WITHIN_MS = 8_000;
const MEASURE_WITHIN_MS = 1_000;

export type HttpWorkers = Up & { stop(): Promise<void> };

type Context = Pick<Core, 'config' | 'storedLog' | 'holder' | 'metrics' | 'ownFacts' | 'otherServers'>;

/**
 * Starts the workers, and waits until all of them listen. `makesFirstStart`: one of them makes the link of a first start.
 * Long because all parts share the workers: each is short. @throws Error when one cannot start, as when the port is taken.
 */
export async function startHttpWorkers(
  core: Context,
  { makesFirstStart, logger }: { makesFirstStart: boolean; logger: Logger },
): Promise<HttpWorkers> {
  const { config } = core;
  const workers = new Map<Worker, Batched<ToWorker>>();
  const balance = openBalance<Worker>();
  const measuring = new Map<number, (measured: Measured) => void>();
  let calls = 0;
  let stopping = false;
  const announcements = openAnnouncements(announcementChannels(config), (each) => toAll(each));
  core.otherServers?.onTold((taken) => toAll({ type: 'points', taken }));

  function toAll(message: ToWorker, except?: Worker): void {
    for (const [worker, channel] of workers) if (worker !== except) channel.send(message);
  }

  function send(worker: Worker, message: ToWorker): void {
    workers.get(worker)?.send(message);
  }

  /** What all processes together show. A worker that does not answer is left out. */
  async function overview(): Promise<Overview> {
    const own: Measured = { metrics: await core.metrics.own(), facts: await core.ownFacts() };
    const answers = await Promise.all([...workers.keys()].map(measure));
    const all = [own, ...answers.filter((each) => each !== null)];
    const sum = (field: 'memory_bytes' | 'reclaimed_bytes') =>
      all.reduce((total, { facts }) => total + facts[field], 0);
    return {
      metrics: await joinedMetrics(all.map(({ metrics }) => metrics)),
      facts: {
        started_at: own.facts.started_at,
        memory_bytes: sum('memory_bytes'),
        reclaimed_bytes: sum('reclaimed_bytes'),
      },
    };
  }

  function measure(worker: Worker): Promise<Measured | null> {
    const call = (calls += 1);
    const answer = new Promise<Measured>((resolve) => measuring.set(call, resolve));
    send(worker, { type: 'measure', call });
    return withTimeout<Measured, null>(MEASURE_WITHIN_MS, answer, () => null).finally(() =>
      measuring.delete(call),
    );
  }

  function receive(worker: Worker, message: FromWorker): void {
    switch (message.type) {
      case 'append':
        // It never rejects: the answer carries the fault. The worker has checked and measured the append.
        void answerAppend(core.storedLog, message).then((answer) => send(worker, answer));
        return;
      case 'announced':
        announcements.received(message);
        toAll(message, worker);
        return;
      case 'points':
        toAll(message, worker);
        core.otherServers?.tell(message.taken);
        return;
      case 'connections': {
        const count = balance.told(worker, message.active);
        if (count > 0) send(worker, { type: 'end_connections', count });
        return;
      }
      case 'measured':
        measuring.get(message.call)?.(message.measured);
        return;
      case 'overview': {
        const { call } = message;
        const answer = (found: Overview | { error: string }) =>
          send(worker, { type: 'overview', call, overview: found });
        overview().then(answer, (error: unknown) => answer({ error: reasonOf(error) }));
        return;
      }
      case 'loaded':
      case 'up':
      case 'failed':
        return;
    }
  }

  /** Resolves when the worker listens, and rejects with what it says, or that it has ended. */
  function start(asFirst: boolean): { worker: Worker; up: Promise<Up>; ended: Promise<string> } {
    const worker = cluster.fork();
    workers.set(worker, channelTo(worker));
    const ended = new Promise<string>((resolve) => {
      worker.once('exit', (code, signal) => {
        workers.delete(worker);
        balance.gone(worker);
        resolve(signal ?? `code ${code}`);
      });
    });
    const { boot } = core.holder;
    const begin: Begin = { type: 'begin', config, boot, makesFirstStart: asFirst };
    const up = new Promise<Up>((resolve, reject) => {
      const take = (message: FromWorker) => {
        // A stop that came while the worker was loading did not reach it.
        if (message.type === 'loaded') send(worker, stopping ? { type: 'stop' } : begin);
        else if (message.type === 'up') {
          balance.up(worker);
          resolve(message);
        } else if (message.type === 'failed') reject(new Error(message.error));
        else receive(worker, message);
      };
      worker.on('message', (messages: FromWorker[]) => messages.forEach(take));
      worker.once('error', reject);
      void ended.then((how) => reject(new Error(`the worker has ended: ${how}`)));
    });
    return { worker, up, ended };
  }

  async function keepRunning({ ended }: ReturnType<typeof start>): Promise<void> {
    for (let how = await ended; !stopping;) {
      logger.error({ how }, 'a process that answers HTTP has died: another one is started');
      await pause(RESTART_AFTER_MS);
      if (stopping) return;
      const next = start(false);
      await next.up.catch((err: unknown) =>
        logger.error({ err }, 'a process that answers HTTP cannot start'),
      );
      how = await next.ended;
    }
  }

  async function stop(): Promise<void> {
    stopping = true;
    const ends = [...workers.keys()].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    toAll({ type: 'stop' });
    await withTimeout<unknown, void>(STOP_WITHIN_MS, Promise.all(ends), () => {
      logger.error('a process that answers HTTP did not stop in time');
      for (const worker of workers.keys()) worker.process.kill('SIGKILL');
    });
    announcements.close();
  }

  // Each worker accepts connections itself. With turns, this process would accept a connection and pass it on. If the
  // worker died before it took the connection over, that would stay open, and its client would wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Advanced: events hold texts of any length, and the copy of a text is cheaper than its JSON.
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../../http-worker.js', import.meta.url)),
    args: [],
    serialization: 'advanced',
  });
  try {
    const started = Array.from({ length: config.httpWorkers }, (_, n) => start(makesFirstStart && n === 0));
    const all = await Promise.all(started.map(({ up }) => up));
    for (const each of started) void keepRunning(each);
    return { ...all[0]!, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Without a callback, a worker that has just died would end this process. Its exit says all. */
function channelTo(worker: Worker): Batched<ToWorker> {
  return batched((messages) => {
    if (worker.isConnected()) worker.send(messages, () => undefined);
  });
}
