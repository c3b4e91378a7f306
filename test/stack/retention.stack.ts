import { expect } from 'chai';
import { openForApi } from '../../src/adapters/open.js';
import type { Contents } from '../../src/ports/contents.js';
import { givenProject } from '../http/given.js';
import { ownServer } from '../kit/server.js';
import { eventually } from '../stores.js';

describe('contents on EventStoreDB and MongoDB', () => {
  const server = ownServer();
  let contents: Contents;
  let closing: (() => Promise<void> | void)[] = [];
  before(async () => {
    ({ contents } = await openForApi(server.config, (close) => closing.push(close)));
  });
  after(async () => {
    for (const close of closing.toReversed()) await close();
    closing = [];
  });

  it('go with the deletion of one result of a run, where no other result of it has them', async () => {
    const { owner } = await server.newTeam();
    const project_id = await givenProject(owner);
    const failed = (name: string, error_message: string) => ({ name, status: 'failed', error_message });
    const results = [failed('first', 'a secret'), failed('second', 'shared'), failed('third', 'shared')];
    const { body } = await owner.post('/v1/test-runs', { project_id, results });
    const run = body.data.id as string;
    const kept = async () => {
      const all = await contents.held('', 10_000);
      const { hashes } = all.find(({ holder }) => holder === run) ?? { hashes: [] };
      return [...(await contents.read(hashes)).values()].toSorted();
    };
    const before = await kept();
    expect(before.filter((text) => text.includes('a secret'))).to.have.lengthOf(2);
    for (const ordinal of [0, 1]) {
      const path = `/v1/test/result/result_${run.slice('run_'.length)}_${ordinal}`;
      expect((await owner.delete(path)).status).to.equal(200);
    }
    // An append of before may still be under way: the sweep waits for it.
    await eventually(
      'the secret is gone',
      async () => !(await kept()).some((text) => text.includes('a secret')),
      90_000,
    );
    expect(await kept()).to.deep.equal(before.filter((text) => !text.includes('a secret')));
  });
});
