import { expect } from 'chai';
import { join } from 'node:path';
import { testServer } from '../kit/server.js';
import { givenFixture, installRunners } from './runners.js';
import { countsOf, givenCommands, postedRuns, runNode } from './running.js';

describe('the mocha reporter, in mocha as its users have it', function () {
  this.timeout(600_000);
  const server = testServer();
  let home: string;
  before(async () => void (home = await installRunners()));

  for (const version of ['mocha-10', 'mocha-11', 'mocha'])
    it(`is found by its name and posts all results: ${version}`, async () => {
      const commands = await givenCommands(server);
      const { cwd, remove } = await givenFixture(home, 'mocha');
      try {
        const bin = join(home, 'node_modules', version, 'bin/mocha.js');
        const args = [bin, '--no-config', '--reporter', 'testledger/mocha', 'outcomes.spec.mjs'];
        const ended = await runNode({ args, cwd, env: commands.env });
        expect(ended.stderr).to.match(/^testledger: \d+ results are posted/m);
        const passed = Number(/^\s+(\d+) passing/m.exec(ended.stdout)?.[1]);
        const failed = Number(/^\s+(\d+) failing/m.exec(ended.stdout)?.[1]);
        const [posted] = await postedRuns(commands);
        expect(countsOf(posted!.results)).to.include({ passed, failed });
      } finally {
        await remove();
      }
    });
});
