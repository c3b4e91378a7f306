import { expect } from 'chai';
import {
  checkReceipt,
  digestOf,
  positionNow,
  readReceipt,
  type Receipt,
} from '../../../src/cli/gate/receipt.js';
import { createClient } from '../../../src/client/index.js';
import { givenProject, givenSubmission, givenTeam } from '../../http/given.js';
import { testServer } from '../../kit/server.js';

describe('a receipt', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  const clientOf = () => createClient({ url: server.url, apiKey: team.owner.key! });

  async function givenReceipt() {
    const project = await givenProject(team.owner);
    const on = (branch: string) => ({ metadata: { branch, commit: `of ${branch}` } });
    await givenSubmission(team.owner, project, [{ name: 'one' }, { name: 'two' }], on('main'));
    const failing = [{ name: 'one', status: 'failed' }, { name: 'two' }];
    const { run, results } = await givenSubmission(team.owner, project, failing, on('topic'));
    const client = clientOf();
    const position = await positionNow(client, run);
    const flags = { fail_on: 'any', min_tests: 1 } as const;
    return { client, results, receipt: await readReceipt(client, { run, position, flags }) };
  }

  it('follows after 100 later corrections', async () => {
    const { client, results, receipt } = await givenReceipt();
    expect(receipt).to.deep.include({ passed: false });
    for (let n = 0; n < 100; n += 1) {
      const status = ['Passed', 'Failed', 'Skipped'][n % 3];
      const path = `/v1/test/result/${results[n % 2]}`;
      expect((await team.owner.post(path, { status })).status).to.equal(200);
    }
    expect(await checkReceipt(client, receipt)).to.deep.equal([]);
  });

  it('does not follow when any one of its numbers is changed, also where its digest is made anew', async () => {
    const { client, results, receipt } = await givenReceipt();
    await team.owner.post(`/v1/test/result/${results[0]}`, { status: 'Passed' });
    const text = JSON.stringify(receipt);
    const numbers = [...text.matchAll(/(?<=:)\d+(?=[,}])/gu)];
    expect(numbers.length).to.be.above(15);
    for (const { index, 0: found } of numbers) {
      const changed = text.slice(0, index) + String(Number(found) + 1) + text.slice(index + found.length);
      const forged: Receipt = JSON.parse(changed);
      const where = text.slice(index - 20, index + 2);
      expect(await checkReceipt(client, forged), where).to.have.length.above(1);
      const withDigest = { ...forged, digest: digestOf(forged) };
      expect(await checkReceipt(client, withDigest), where).to.have.length.above(0);
    }
    const later = { ...receipt, position: await positionNow(client, receipt.run.id) };
    expect(later.position > receipt.position).to.equal(true);
    expect(await checkReceipt(client, later)).to.have.length.above(1);
  });
});
