import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readShardPlan } from '../../src/client/shard-plan.js';

describe('readShardPlan', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-plan-'));
    path = join(folder, 'plan.json');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const plan = {
    version: 1,
    project_id: 'project_1',
    run_ids: [],
    durations: [],
    suites: [],
    known_failures: [],
  };

  it('reads names that every object has a property of', async () => {
    const pairs = { durations: [['constructor', 7]], known_failures: [['__proto__', 'bug 7']] };
    await writeFile(path, JSON.stringify({ ...plan, ...pairs }));
    const { durations, knownFailures } = readShardPlan(path);
    expect([durations.get('constructor'), durations.get('toString')]).to.deep.equal([7, undefined]);
    expect([...knownFailures]).to.deep.equal([['__proto__', 'bug 7']]);
  });

  for (const [name, content, message] of [
    ['is not there', null, /ENOENT/],
    ['is cut off', JSON.stringify(plan).slice(0, -5), /JSON/],
    ['is another file', '{"name":"shop"}', /it is not a file of testledger shard-plan/],
    ['is null', 'null', /it is not a file of testledger shard-plan/],
    [
      'has a duration without a number',
      JSON.stringify({ ...plan, durations: [['a', '7']] }),
      /its durations or its known failures are broken/,
    ],
    [
      'has no known failures',
      JSON.stringify({ ...plan, known_failures: undefined }),
      /its durations or its known failures are broken/,
    ],
  ] as const)
    it(`names the file where it ${name}`, async () => {
      if (content !== null) await writeFile(path, content);
      expect(() => readShardPlan(path))
        .to.throw(`the shard plan ${path} cannot be read`)
        .with.property('message')
        .that.matches(message);
    });
});
