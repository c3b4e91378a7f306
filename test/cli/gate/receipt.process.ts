import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { repository } from '../../docs/pages.js';
import { testServer } from '../../kit/server.js';
import { commandLine, junit } from '../command-line.js';

describe('the receipt of a gate', () => {
  const server = testServer();
  const given = commandLine(server);

  async function receiptOf(...flags: string[]) {
    await given.file('base.xml', junit({ one: 'passed', two: 'passed' }));
    await given.run(['import', 'base.xml', '--run-key', 'base', '--branch', 'main']);
    await given.file('a.xml', junit({ one: 'failed', two: 'passed' }));
    await given.run(['import', 'a.xml', '--run-key', 'k', '--branch', 'b', '--commit', 'c1']);
    const { code, stderr } = await given.run(['gate', '--run-key', 'k', '--receipt', 'r.json', ...flags]);
    const receipt = JSON.parse(await readFile(join(given.folder, 'r.json'), 'utf8'));
    return { code, stderr, receipt };
  }

  it('has what the gate was judged by, in the form of its schema', async () => {
    const { code, receipt } = await receiptOf();
    expect(code).to.equal(1);
    const schema = JSON.parse(await readFile(join(repository, 'schemas/receipt.json'), 'utf8'));
    const validate = new Ajv2020().compile(schema);
    expect(validate(receipt), JSON.stringify(validate.errors)).to.equal(true);
    expect(receipt).to.deep.include({ commit: 'c1', passed: false, reasons: ['new_failures'], flags: {} });
    expect(receipt.counts.comparison).to.include({ new_failures: 1 });
    expect(receipt.baseline.id).to.be.a('string');
  });

  it('follows after 100 later corrections', async () => {
    const { receipt } = await receiptOf('--fail-on', 'any', '--max-known', '3');
    const run = `/v1/test-runs/${receipt.run.id}`;
    const { data } = (await given.owner.get(`${run}/results`)).body;
    for (let n = 0; n < 100; n += 1) {
      const status = ['Passed', 'Failed', 'Skipped'][n % 3];
      const { status: answer } = await given.owner.post(`/v1/test/result/${data[n % 2].id}`, { status });
      expect(answer).to.equal(200);
    }
    const { code, stdout, stderr } = await given.run(['verify', 'r.json']);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^the receipt follows: the gate failed as of position \d+$/mu);
  });

  it('does not follow when any one of its numbers is changed', async () => {
    const { receipt } = await receiptOf('--min-tests', '1');
    const text = JSON.stringify(receipt);
    const numbers = [...text.matchAll(/(?<=:)\d+(?=[,}])|"position":"\d+/gu)];
    expect(numbers.length).to.be.above(15);
    // Each takes a process of its own: some of them, and always the position.
    for (const { index, 0: found } of numbers.filter((each, n) => n % 5 === 0 || each[0].length > 12)) {
      const digit = index + found.length - 1;
      const other = String((Number(text[digit]) + 1) % 10);
      await writeFile(
        join(given.folder, 'changed.json'),
        text.slice(0, digit) + other + text.slice(digit + 1),
      );
      const { code } = await given.run(['verify', 'changed.json']);
      expect(code, found).to.be.oneOf([1, 2, 4]);
    }
    await writeFile(join(given.folder, 'none.json'), '{}');
    expect((await given.run(['verify', 'none.json'])).code).to.equal(2);
    expect((await given.run(['verify', 'r.json'])).code).to.equal(0);
  });
});
