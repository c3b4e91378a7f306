import { expect } from 'chai';
import type { Worker } from 'node:worker_threads';
import { writerThread } from '../../src/adapters/sqlite/writer.js';
import { limits } from '../../src/limits.js';
import { ownServer } from '../kit/server.js';

describe('the threads of a server with its stores in files', () => {
  const running = new Set<Worker>();
  const count = (worker: Worker): void => {
    running.add(worker);
    worker.once('exit', () => running.delete(worker));
  };
  before(() => void process.on('worker', count));
  after(() => void process.off('worker', count));
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });

  it('are five at most: one answers requests, two fold, one of them delivers, one reads submissions, one writes', async () => {
    const { owner } = await server.newTeam();
    const project = (await owner.post('/v1/projects', { name: 'Shop' })).body.data;
    const hook = { url: 'https://127.0.0.1:1/hook', events: ['test.failed'] };
    expect((await owner.post('/v1/webhooks', hook)).status).to.equal(201);
    const failed = { name: 'a test', status: 'failed' };
    const metadata = { text: 'x'.repeat(50_000) };
    const count = Math.ceil(limits.bodyBytes / 50_000) + 1;
    const results = Array.from({ length: count }, () => ({ ...failed, metadata }));
    const submitted = await owner.post('/v1/test-runs', { project_id: project.id, results });
    expect(submitted.status).to.equal(201);
    expect(running.add(writerThread().worker).size).to.equal(4);
  });
});
