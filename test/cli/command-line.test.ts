import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { commands } from '../../src/cli/commands.js';
import { exitCodes } from '../../src/cli/exit-codes.js';

describe('the command line', () => {
  it('has the same exit codes in its table and its document', async () => {
    const document = await readFile('docs/command-line.md', 'utf8');
    const rows = [...document.matchAll(/^\| (\d+) +\| `([a-z]+)` /gm)].map(([, code, name]) => [
      name,
      Number(code),
    ]);
    expect(Object.fromEntries(rows)).to.deep.equal(exitCodes);
  });

  it('documents every command', async () => {
    const document = await readFile('docs/command-line.md', 'utf8');
    for (const name of commands.keys())
      expect(document, name).to.match(new RegExp(`\`(testledger )?${name}\\b`));
  });

  it('loads each command by its own name', async () => {
    for (const [name, load] of commands) {
      const { command } = await load();
      expect(String(command).split(' ')[0]).to.equal(name);
    }
  });
});
