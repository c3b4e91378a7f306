import { expect } from 'chai';
import { itemsIn } from '../../src/domain/runs/item-chunk.js';
import { openBulk, type Bulk } from '../../src/roles/bulk.js';
import type { OpenSubmission } from '../../src/http/bulk/receive.js';
import { isAppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { NOW } from '../stores.js';

describe('the thread of bulk submissions', function () {
  let reported: unknown[] = [];
  let bulk: Bulk | null = null;
  const opened = (limits?: Parameters<typeof openBulk>[2]) => {
    reported = [];
    bulk = openBulk((error) => reported.push(error), { contentKey: Buffer.alloc(32) }, limits);
    const { read, close } = bulk;
    return {
      read: (bytes: Uint8Array<ArrayBuffer>, now: string, team = 'team_1') => read(bytes, now, team),
      close,
    };
  };
  afterEach(() => bulk?.close());

  const bodyOf = (count: number, name = 'a test') =>
    new Uint8Array(
      Buffer.from(
        JSON.stringify({
          project_id: 'project_1',
          results: Array.from({ length: count }, () => ({ name, status: 'passed' })),
        }),
      ),
    );
  const born = {
    submission_id: 'run_1',
    run_id: 'run_1',
    project_id: 'project_1',
    finished_at: NOW,
    branch: null,
    commit: null,
    environment: '',
  };
  const limits = { events: 1, bytes: 1_000_000 };
  async function sizes(submission: OpenSubmission): Promise<number[]> {
    const all: number[] = [];
    for await (const chunks of submission.appends(born, limits, 0))
      all.push(...chunks.map(({ count }) => count));
    return all;
  }

  it('returns a submission in appends, for several submissions at a time', async () => {
    const { read } = opened();
    const [one, other] = await Promise.all([read(bodyOf(1_250), NOW), read(bodyOf(750), NOW)]);
    expect([one.count, one.project_id, other.count]).to.deep.equal([1_250, 'project_1', 750]);
    expect(await Promise.all([sizes(one), sizes(other)])).to.deep.equal([
      [500, 500, 250],
      [500, 250],
    ]);
  });

  it('gives the appends of a submission again from the first, also after a consumer that stopped half-way', async () => {
    const submission = await opened().read(bodyOf(1_250), NOW);
    for await (const chunks of submission.appends(born, limits, 0)) {
      expect(chunks).to.have.length(1);
      break;
    }
    expect(await sizes(submission)).to.deep.equal([500, 500, 250]);
  });

  it('relates the items of a shard to those of other attempts, again for each try', async () => {
    const body = { project_id: 'project_1', run_key: 'a key', shard: { index: 1, total: 2, attempt: 2 } };
    const results = ['one', 'two'].map((name) => ({ name, status: 'passed', duration_ms: 5 }));
    const bytes = new Uint8Array(Buffer.from(JSON.stringify({ ...body, results })));
    const submission = await opened().read(bytes, NOW);
    expect(submission).to.include({ run_key: 'a key', duration_ms: 10 });
    expect(submission.items_hash).to.match(/^[0-9a-f]{64}$/);
    const others = async function* (...names: string[]) {
      yield { attempt: 1, submission_id: 'run_0', first: 7, lines: names, attempts: names.map(() => 1) };
    };
    const replaces = async () => {
      const all: unknown[] = [];
      for await (const chunks of submission.appends(born, limits, 0)) {
        for (const { json } of chunks)
          all.push(...itemsIn(JSON.parse(json), 'run_1').map((item) => item.replaces));
      }
      return all;
    };
    expect(await replaces()).to.deep.equal([undefined, undefined]);
    expect(await submission.relate(others('two', 'three'), '')).to.equal(1);
    expect(await replaces()).to.deep.equal([undefined, ['result_0_7']]);
    expect(await submission.relate(others('one', 'two'), '')).to.equal(2);
    expect(await replaces()).to.deep.equal([['result_0_7'], ['result_0_8']]);
  });

  it('transfers the bytes, so that they are in memory once, and frees them when they are read', async () => {
    const { read } = opened();
    await read(bodyOf(10), NOW);
    const bytes = bodyOf(50_000);
    const { byteLength } = bytes;
    const held = process.memoryUsage().arrayBuffers;
    await read(bytes, NOW);
    expect(bytes.buffer.byteLength).to.equal(0);
    // A buffer that was transferred counts where it was made until it is freed.
    expect(held - process.memoryUsage().arrayBuffers).to.be.at.least(byteLength);
  });

  it('passes on the faults of a body', async () => {
    const error = await refusal(opened().read(new Uint8Array(Buffer.from('{}')), NOW), 'validation_failed');
    expect(error).to.have.nested.property('fields[0].pointer', '/project_id');
    expect(reported).to.deep.equal([]);
  });

  describe('with bodies of one team that take long', () => {
    /** Each item has thousands of fields, which are all wrong. */
    const longBody = (count: number) => {
      const fields = Array.from({ length: 4_900 }, (_, n) => `"field ${n}":1`);
      const item = `{${fields.join()}}`;
      const results = Array.from({ length: count }, () => item).join();
      return new Uint8Array(Buffer.from(`{"project_id":"project_1","results":[${results}]}`));
    };

    it('reads the body of another team meanwhile, and gives its appends', async () => {
      const { read } = opened();
      let isRead = false;
      const long = refusal(read(longBody(99), NOW, 'team_1'), 'validation_failed').then(
        () => (isRead = true),
      );
      const other = await read(bodyOf(1_250), NOW, 'team_2');
      expect(await sizes(other)).to.deep.equal([500, 500, 250]);
      expect(isRead).to.equal(false);
      await long;
    });

    it('gives another team as many turns as that one, however many bodies that one has', async () => {
      const { read } = opened();
      let read1 = 0;
      const all = Array.from({ length: 8 }, () =>
        refusal(read(longBody(20), NOW, 'team_1'), 'validation_failed').then(() => (read1 += 1)),
      );
      await refusal(read(longBody(20), NOW, 'team_2'), 'validation_failed');
      expect(read1).to.be.below(4);
      await Promise.all(all);
    });
  });

  it('ends with a body that fills its memory, and with no other body; the next submission gets a new thread', async () => {
    const small = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 2 };
    const { read } = opened(small);
    const before = await read(bodyOf(500), NOW);
    let isOver = false;
    const hostile = refusal(read(bodyOf(50_000, 'x'.repeat(250) + 'é\u0100'), NOW), 'payload_too_large').then(
      () => (isOver = true),
    );
    const beside = async () => {
      try {
        (await read(bodyOf(10_000), NOW)).close();
      } catch (error) {
        // The one that was read when the thread ended.
        if (!isAppError(error, 'overloaded')) throw error;
      }
    };
    while (!isOver) await beside();
    await hostile;
    await refusal(sizes(before), 'overloaded');
    expect(reported).to.have.length(1);
    expect(await sizes(await read(bodyOf(750), NOW))).to.deep.equal([500, 250]);
  });

  it('refuses, once closed, the submission that it reads and all later ones', async () => {
    const { read, close } = opened();
    const reading = read(bodyOf(50_000), NOW);
    const refused = refusal(reading, 'shutting_down');
    await close();
    await refused;
    await refusal(read(bodyOf(1), NOW), 'shutting_down');
    expect(reported).to.deep.equal([]);
  });
});
