import { expect } from 'chai';
import { pino } from 'pino';
import type { EventLog } from '../../../src/ports/event-log.js';
import type { ViewReader } from '../../../src/ports/views.js';
import { AppError } from '../../../src/errors.js';
import { createApp } from '../../../src/http/app.js';
import { healthRoutes } from '../../../src/http/health.js';
import { listen, type Listening } from '../../../src/http/server.js';
import { api, type Api } from '../../kit/client.js';
import { expectProblem } from '../refusals.js';
import { idleMetrics } from './idle-metrics.js';

describe('health while a store cannot be reached', () => {
  let listening: Listening;
  let anyone: Api;
  let stopping: boolean;
  const lines: string[] = [];
  let head: () => Promise<string>;
  let position: () => Promise<string>;
  before(async () => {
    const metrics = idleMetrics();
    const { koa } = createApp({
      surfaces: [],
      open: healthRoutes({
        log: { head: () => head() } as unknown as EventLog,
        views: { position: () => position() } as unknown as ViewReader,
        projection: 'records',
        stuck: async () => 0,
        version: '1.2.3',
        metrics,
        stopping: () => stopping,
      }),
      metrics,
      logger: pino({}, { write: (line) => void lines.push(line) }),
    });
    listening = await listen(koa, { host: '127.0.0.1', port: 0 });
    anyone = api(() => listening.url, null);
  });
  after(() => listening.stop(1_000));
  beforeEach(() => {
    stopping = false;
    head = async () => '';
    position = async () => '';
  });
  const away = (code: 'log_unavailable' | 'views_unavailable') => async () => {
    throw new AppError(code, 'It is away.');
  };
  const silent = () => new Promise<string>(() => undefined);
  const status = () => anyone.get('/v1/test/status');

  it('answers 503 while the log or the views are unavailable, and 200 as soon as they are back', async () => {
    head = away('log_unavailable');
    expectProblem(await status(), 503, 'log_unavailable');
    expectProblem(await anyone.get('/readyz'), 503, 'log_unavailable');
    head = async () => '';
    expect((await status()).status).to.equal(200);
    position = away('views_unavailable');
    expectProblem(await status(), 503, 'views_unavailable');
    expect((await anyone.get('/readyz')).status, 'writes go on').to.equal(200);
    position = async () => '';
    expect((await status()).status).to.equal(200);
  });

  it('logs the reason with its cause', async () => {
    head = async () => {
      throw new AppError('log_unavailable', 'It is away', { cause: new Error('connection refused') });
    };
    lines.splice(0);
    await status();
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0]!)).to.include({
      code: 'log_unavailable',
      why: 'It is away: connection refused',
    });
  });

  it('answers 503 after 1 s if a store does not answer', async () => {
    for (const [set, code] of [
      [() => (head = silent), 'log_unavailable'],
      [() => (position = silent), 'views_unavailable'],
    ] as const) {
      set();
      const began = performance.now();
      expectProblem(await status(), 503, code);
      expect(performance.now() - began).to.be.within(900, 4_000);
      head = async () => '';
      position = async () => '';
    }
  });

  it('asks a store once for all requests at the same time', async () => {
    let asked = 0;
    head = async () => {
      asked += 1;
      return new Promise((resolve) => void setImmediate(resolve, ''));
    };
    const answers = await Promise.all(Array.from({ length: 50 }, status));
    expect(new Set(answers.map((answer) => answer.status))).to.deep.equal(new Set([200]));
    expect(asked).to.be.below(50);
  });

  it('is alive without its stores', async () => {
    head = away('log_unavailable');
    expect((await anyone.get('/livez')).status).to.equal(200);
  });

  it('is alive but not ready once a stop has begun', async () => {
    stopping = true;
    expectProblem(await anyone.get('/readyz'), 503, 'shutting_down');
    expect((await anyone.get('/livez')).status).to.equal(200);
    expect((await status()).status).to.equal(200);
  });
});
