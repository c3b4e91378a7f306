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

  it('is verified, and is not when a number of it is changed', async () => {
    await receiptOf('--min-tests', '1');
    const { code, stdout } = await given.run(['verify', 'r.json']);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^the receipt follows: the gate failed as of position \d+$/mu);
    const text = await readFile(join(given.folder, 'r.json'), 'utf8');
    await writeFile(join(given.folder, 'changed.json'), text.replace(/("new_failures": ?)1/u, '$10'));
    expect((await given.run(['verify', 'changed.json'])).code).to.equal(1);
    await writeFile(join(given.folder, 'none.json'), '{}');
    expect((await given.run(['verify', 'none.json'])).code).to.equal(2);
  });
});
