import { expect } from 'chai';
import type { LiveItem } from '../../../src/client/live/item.js';
import type { LiveCall, LiveServer } from '../../../src/client/live/poster.js';
import { startLiveRun, type LiveRunStart, type LiveSurroundings } from '../../../src/client/live/live-run.js';
import type { FileToUpload } from '../../../src/client/live/uploads.js';
import type { Uploaded } from '../../../src/client/upload-artifacts.js';
import { eventually } from '../../stores.js';

const env = { TESTLEDGER_URL: 'http://ledger', TESTLEDGER_API_KEY: 'k', TESTLEDGER_PROJECT: 'project_1' };
/** Batches go by their size alone, unless a test says otherwise. */
const timing = { batchMs: 60_000, exitMs: 300, firstPauseMs: 1, longestPauseMs: 4 };

type Call = LiveCall & { key: string; results?: readonly LiveItem[] };

const uploaded = { artifact: {}, error: null } as Uploaded;

function passed(name: string, more: Partial<LiveItem> = {}): LiveItem {
  return { name, status: 'passed', duration_ms: 1, ...more };
}

function fault(code: string, more: object = {}): Error {
  return Object.assign(new Error(`it said ${code}`), { code, status: null, fields: [], ...more });
}

/** A server that answers each call as `answer` says, and by default accepts it. */
function fakeServer(answer: (call: Call, n: number) => unknown = () => undefined) {
  const calls: Call[] = [];
  const files: FileToUpload[] = [];
  async function take(call: Call, signal: AbortSignal) {
    calls.push(call);
    const answered = await answer(call, calls.length);
    signal.throwIfAborted();
    if (answered instanceof Error) throw answered;
    const status = call.complete ? 'completed' : 'running';
    return { id: 'run_1', status, resultId: (n: number) => `result_${n}` };
  }
  const server: LiveServer = {
    submitRun: (call, { idempotencyKey, signal }) => take({ ...call, key: idempotencyKey }, signal),
    async submitRunWith(call, { items, count }, { idempotencyKey, signal }) {
      const results = JSON.parse(`[${Buffer.from(items).toString()}]`) as LiveItem[];
      expect(results).to.have.lengthOf(count);
      return take({ ...call, results, key: idempotencyKey }, signal);
    },
    async uploadGroup(group) {
      files.push(...group.files);
      return group.files.map(() => uploaded);
    },
  };
  return {
    calls,
    files,
    server,
    names: () => calls.map(({ results = [] }) => results.map(({ name }) => name)),
  };
}

function started(
  fake: ReturnType<typeof fakeServer>,
  start: Partial<LiveRunStart> = {},
  around: LiveSurroundings = {},
) {
  const lines: string[] = [];
  const run = startLiveRun(
    { tool: 'mocha', runKey: 'build 7', ...start },
    { env, timing, connect: async () => fake.server, print: (line) => lines.push(line), ...around },
  );
  return { run, lines };
}

describe('a live run', () => {
  it('posts full batches while the tests run, in their order, and completes the run with the last', async () => {
    const fake = fakeServer();
    const { run, lines } = started(fake);
    const names = Array.from({ length: 450 }, (_, n) => `test ${n}`);
    for (const name of names) {
      run.add(passed(name));
      if (name === 'test 399') await eventually('two batches are posted', () => fake.calls.length === 2);
    }
    const summary = await run.finish();
    expect(fake.names().flat()).to.deep.equal(names);
    expect(fake.calls.map(({ complete }) => complete ?? false)).to.deep.equal([false, false, true]);
    expect(new Set(fake.calls.map(({ key }) => key)).size).to.equal(3);
    expect(fake.calls[0]).to.include({ project_id: 'project_1', run_key: 'build 7' });
    expect(fake.calls[0]!.metadata).to.include({ tool: 'mocha' });
    expect(summary).to.include({ posted: 450, lost: 0, reason: null });
    expect(lines).to.deep.equal(['testledger: 450 results are posted: http://ledger/runs/run_1']);
  });

  it('posts a batch that is not full after its time', async () => {
    const fake = fakeServer();
    const { run } = started(fake, {}, { timing: { ...timing, batchMs: 5 } });
    run.add(passed('adds up'));
    await eventually('the batch is posted', () => fake.calls.length === 1);
    expect(fake.names()).to.deep.equal([['adds up']]);
    await run.finish();
    expect(fake.calls.at(-1)).to.include({ complete: true });
    expect(fake.calls.at(-1)).not.to.have.property('results');
  });

  it('posts what comes during a call together at its own time, not one by one', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const fake = fakeServer((_, n) => (n === 1 ? held : undefined));
    const { run } = started(fake);
    for (let n = 0; n < 200; n += 1) run.add(passed(`test ${n}`));
    await eventually('the first batch is under way', () => fake.calls.length === 1);
    for (let n = 200; n < 250; n += 1) run.add(passed(`test ${n}`));
    release();
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    const summary = await run.finish();
    expect(fake.names().map(({ length }) => length)).to.deep.equal([200, 50]);
    expect(fake.calls.map(({ complete }) => complete ?? false)).to.deep.equal([false, true]);
    expect(summary).to.include({ posted: 250, lost: 0 });
  });

  it('makes items later, in their order, and loses only the test whose item cannot be made', async () => {
    const fake = fakeServer();
    const { run, lines } = started(fake);
    const made: string[] = [];
    const later = (name: string) => () => (made.push(name), passed(name));
    run.addLater(later('first'));
    run.addLater(() => {
      throw new Error('no title');
    });
    expect(made).to.deep.equal([]);
    run.add(passed('second'));
    run.addLater(later('third'));
    expect(made).to.deep.equal(['first']);
    const summary = await run.finish();
    expect(fake.names()).to.deep.equal([['first', 'second', 'third']]);
    expect(summary).to.include({ posted: 3, lost: 1, reason: 'no title' });
    expect(lines.join()).to.match(/warning: 1 of 4 results not posted/);
  });

  it('goes on posting after a batch whose only item could not be made', async () => {
    const fake = fakeServer();
    const { run } = started(fake, {}, { timing: { ...timing, batchMs: 1 } });
    let asked = false;
    run.addLater(() => {
      asked = true;
      throw new Error('no title');
    });
    await eventually('the item was asked for', () => asked);
    run.add(passed('next'));
    await eventually('the next test is posted', () => fake.calls.length === 1);
    expect(fake.names()).to.deep.equal([['next']]);
    await run.finish();
  });

  it('posts before the queue is full, however large the results that come at once', async () => {
    const fake = fakeServer();
    const { run } = started(fake);
    const large = 'x'.repeat(100_000);
    for (let n = 0; n < 150; n += 1) {
      run.add(passed(`test ${n}`, { status: 'failed', metadata: { error: { stack: large } } }));
      // As between two tests.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const summary = await run.finish();
    expect(summary).to.include({ posted: 150, lost: 0 });
  });

  it('keeps the attempts of a test in one call', async () => {
    const fake = fakeServer();
    const { run } = started(fake);
    for (let n = 0; n < 199; n += 1) run.add(passed(`test ${n}`));
    run.add(passed('flaky', { status: 'failed', attempt: 1 }), passed('flaky', { attempt: 2 }));
    await run.finish();
    const withFlaky = fake.names().filter((names) => names.includes('flaky'));
    expect(withFlaky.map((names) => names.filter((name) => name === 'flaky').length)).to.deep.equal([2]);
  });

  it('repeats a call with its key and body until the server is back', async () => {
    const fake = fakeServer((_, n) => (n < 4 ? fault('unreachable') : undefined));
    const { run } = started(fake, {}, { timing: { ...timing, batchMs: 1 } });
    run.add(passed('adds up'));
    await eventually('the fourth try', () => fake.calls.length === 4);
    const summary = await run.finish();
    expect(summary).to.include({ posted: 1, lost: 0 });
    const tries = fake.calls.slice(0, 4);
    expect(new Set(tries.map((call) => JSON.stringify(call))).size).to.equal(1);
  });

  it('gives up a server that is not there with one warning, and counts what is lost', async () => {
    const fake = fakeServer(() => fault('unreachable'));
    const { run, lines } = started(fake);
    for (let n = 0; n < 500; n += 1) run.add(passed(`test ${n}`));
    const summary = await run.finish();
    expect(summary).to.include({ posted: 0, lost: 500, run: null });
    expect(lines).to.deep.equal([
      'testledger: warning: 500 of 500 results not posted (http://ledger): it said unreachable',
    ]);
  });

  it('waits for a server that hangs no longer than the time of the exit', async () => {
    const fake = fakeServer();
    fake.server.submitRunWith = (_call, _results, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const { run, lines } = started(fake);
    run.add(passed('adds up'));
    const began = performance.now();
    const summary = await run.finish();
    expect(performance.now() - began).to.be.within(250, 2_000);
    expect(summary).to.include({ posted: 0, lost: 1 });
    expect(lines).to.have.lengthOf(1);
  });

  it('holds no more bytes than its queue has, and drops the newest', async () => {
    const fake = fakeServer();
    const { run, lines } = started(fake, {}, { queueBytes: 20_000 });
    for (let n = 0; n < 100; n += 1) run.add(passed(`test ${n}`, { error_message: 'x'.repeat(1_000) }));
    const summary = await run.finish();
    expect(summary.posted).to.be.within(10, 20);
    expect(summary.lost).to.equal(100 - summary.posted);
    expect(fake.names().flat()).to.deep.equal(Array.from({ length: summary.posted }, (_, n) => `test ${n}`));
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.match(/^testledger: warning: \d+ of 100 results not posted .*the queue was full$/);
  });

  it('leaves out the tests that the server refuses, and posts the others of their batch', async () => {
    const fake = fakeServer(({ results = [] }) => {
      const wrong = results.findIndex(({ name }) => name === 'wrong');
      return wrong < 0
        ? undefined
        : fault('validation_failed', { fields: [{ pointer: `/results/${wrong}/name` }] });
    });
    const { run } = started(fake);
    for (const name of ['one', 'wrong', 'two']) run.add(passed(name));
    expect(await run.finish()).to.include({ posted: 2, lost: 1 });
    expect(fake.names().at(-1)).to.deep.equal(['one', 'two']);
    expect(new Set(fake.calls.map(({ key }) => key)).size).to.equal(fake.calls.length);
  });

  it('stops at a key that the server refuses', async () => {
    const fake = fakeServer(() => fault('unauthorized', { status: 401 }));
    const { run, lines } = started(fake);
    for (let n = 0; n < 1_000; n += 1) run.add(passed(`test ${n}`));
    expect(await run.finish()).to.include({ posted: 0, lost: 1_000 });
    expect(fake.calls).to.have.lengthOf(1);
    expect(lines).to.have.lengthOf(1);
  });

  it('names the calls of the same command alike, and those of another command apart', async () => {
    const keys: string[] = [];
    for (const tool of ['mocha', 'mocha', 'jest']) {
      const fake = fakeServer();
      const { run } = started(fake, { tool });
      run.add(passed('adds up'));
      await run.finish();
      keys.push(fake.calls[0]!.key);
    }
    expect(keys[0])
      .to.equal(keys[1])
      .and.match(/^[\x21-\x7e]{1,255}$/);
    expect(keys[2]).not.to.equal(keys[0]);
  });

  it('makes the same calls for the same replay of tests', async () => {
    const bodies: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const fake = fakeServer();
      const { run } = started(fake, { live: false }, { timing: { ...timing, batchMs: 0 } });
      for (let test = 0; test < 300; test += 1) run.add(passed(`test ${test}`));
      await run.finish();
      bodies.push(JSON.stringify(fake.calls));
    }
    expect(bodies[0]).to.equal(bodies[1]);
  });

  it('posts a shard in one call at its end', async () => {
    const fake = fakeServer();
    const { run } = started(fake, { shard: '2/3' });
    for (let n = 0; n < 1_000; n += 1) run.add(passed(`test ${n}`));
    await run.finish();
    expect(fake.calls).to.have.lengthOf(1);
    expect(fake.calls[0]!.shard).to.deep.equal({ index: 2, total: 3, attempt: 1 });
    expect(fake.calls[0]).not.to.have.property('complete');
    expect(fake.calls[0]!.results).to.have.lengthOf(1_000);
  });

  it('posts a shard without tests, for which its run waits', async () => {
    const fake = fakeServer();
    const { run } = started(fake, { shard: '2/3' });
    await run.finish();
    expect(fake.calls.map(({ shard, results }) => ({ shard, results }))).to.deep.equal([
      { shard: { index: 2, total: 3, attempt: 1 }, results: [] },
    ]);
  });

  it('names the calls of two shards apart, though the same command runs them', async () => {
    const fake = fakeServer();
    for (const shard of ['1/2', '2/2']) {
      const { run } = started(fake, { shard });
      run.add(passed('one'));
      await run.finish();
    }
    const [first, second] = fake.calls.map(({ key }) => key);
    expect(first).to.not.equal(second);
  });

  for (const code of ['shard_exists', 'idempotency_mismatch'])
    it(`posts a shard that ran again as the next attempt, after ${code}`, async () => {
      const fake = fakeServer(({ shard }) => (shard!.attempt < 3 ? fault(code, { status: 409 }) : undefined));
      const { run } = started(fake, { shard: '1/2' });
      run.add(passed('adds up'));
      expect(await run.finish()).to.include({ posted: 1, lost: 0 });
      expect(fake.calls.map(({ shard }) => shard!.attempt)).to.deep.equal([1, 2, 3]);
    });

  it('uploads the files of a result once it is accepted', async () => {
    const fake = fakeServer();
    const { run } = started(fake);
    const body = new Uint8Array([1]);
    run.add(passed('plain'));
    run.add(
      passed('drawn', {
        attempt: 1,
        status: 'failed',
        attachments: [{ name: 'a.png', content_type: 'image/png', body }],
      }),
      passed('drawn', {
        attempt: 2,
        attachments: [{ name: 'log', content_type: 'text/plain', path: '/tmp/log' }],
      }),
    );
    expect(await run.finish()).to.include({ uploaded: 2, notUploaded: 0 });
    const files = fake.files.map(({ idempotencyKey: _, ...file }) => file);
    expect(files).to.have.deep.members([
      { resultId: 'result_1', label: 'a.png', contentType: 'image/png', bytes: body },
      { resultId: 'result_2', label: 'log', contentType: 'text/plain', path: '/tmp/log' },
    ]);
  });

  it('names an upload alike each time that it is tried, and anew once its file has changed', async () => {
    const fake = fakeServer();
    const keys: string[] = [];
    const faults = [fault('unreachable'), fault('timeout'), fault('idempotency_mismatch', { status: 422 })];
    const server: LiveServer = {
      ...fake.server,
      async uploadGroup({ files: [file] }) {
        keys.push(file!.idempotencyKey);
        const next = faults.shift();
        if (next !== undefined) throw next;
        return [uploaded];
      },
    };
    const { run } = started(fake, {}, { connect: async () => server });
    const log = (name: string) => ({ name, content_type: 'text/plain', path: `/tmp/${name}` });
    run.add(passed('logs', { attachments: [log('a.log')] }));
    expect(await run.finish()).to.include({ uploaded: 1, notUploaded: 0 });
    const [first, ...others] = keys;
    expect(others).to.have.lengthOf(3);
    expect(others.slice(0, 2)).to.deep.equal([first, first]);
    expect(others[2]).not.to.equal(first);
  });

  it('does not complete a run that others still post to', async () => {
    const fake = fakeServer();
    const { run } = started(fake, { complete: false });
    run.add(passed('adds up'));
    await run.finish();
    expect(fake.calls.map(({ complete }) => complete ?? false)).to.deep.equal([false]);
  });

  it('posts nothing without a configuration, and says so in one line', async () => {
    const fake = fakeServer();
    const { run, lines } = started(fake, {}, { env: { TESTLEDGER_URL: 'http://ledger' } });
    run.add(passed('adds up'));
    expect((await run.finish()).posted).to.equal(0);
    expect(fake.calls).to.deep.equal([]);
    expect(lines).to.deep.equal([
      'testledger: nothing is posted: TESTLEDGER_API_KEY, TESTLEDGER_PROJECT are not set',
    ]);
  });

  it('takes anything as a result without a fault', async () => {
    const fake = fakeServer();
    const { run } = started(fake);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    run.add(passed('\u0000\ud800', { metadata: { circle, number: Number.NaN, text: '\ud800', big: 1n } }));
    run.add(passed('', { duration_ms: -1 }));
    run.add(null as never);
    const summary = await run.finish();
    expect(summary).to.include({ posted: 2, lost: 1 });
    expect(JSON.stringify(fake.calls)).not.to.match(/\\ud800|\\u0000/);
  });
});
