import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testServer } from '../../kit/server.js';
import { commandLine } from '../command-line.js';
import { fakeForge } from '../forge/fake-forge.js';
import { jobOf, repository } from './job.js';
import { COMMIT, eventOfPullRequest, services } from './services.js';

/** The first lines of docs/ci.md, which get the command line. */
const download = /^curl .*testledger\.mjs"\n^testledger\(\).*$/mu.exec(
  await readFile(join(repository, 'docs/ci.md'), 'utf8'),
)![0];

describe('a job for a pull request, with the command line that the server hands out', () => {
  const server = testServer();
  const given = commandLine(server);
  const forge = fakeForge();

  for (const [service, envOf] of Object.entries(services)) {
    it(`imports, judges, comments and sets a status on ${service}`, async () => {
      const job = await jobOf(given, { one: 'failed', two: 'passed' });
      const event = await given.file('event.json', JSON.stringify(eventOfPullRequest));
      const step = (script: string) => job.step(`${download}\n${script}`, envOf(forge, event));
      await step('npm test');
      const imported = await step("testledger import 'reports/**/*.xml'");
      expect(imported.code, imported.stderr).to.equal(0);
      const gate = await step('testledger gate');
      expect(gate.code, gate.stderr).to.equal(1);
      const summary = await step('testledger summary --comment --require-comment --status --require-status');
      expect(summary.code, summary.stderr).to.equal(0);

      const { body } = await given.owner.get(`/v1/test-runs?project_id=${given.project}`);
      expect(body.data).to.have.length(1);
      expect(body.data[0]).to.include({
        branch: 'guests',
        commit: COMMIT,
        pull_request: '12',
        gate: 'failed',
      });
      expect(forge.comments.map((comment) => comment.body)).to.have.length(1);
      expect(forge.comments[0]!.body).to.include('1 failed: 1 new');
      expect(forge.requests.some((request) => /^POST .*\/12\/(?:comments|notes)$/u.test(request))).to.equal(
        true,
      );
      expect(forge.statuses).to.have.length(1);
      expect(forge.statuses[0]).to.include({ commit: COMMIT });
      expect(forge.statuses[0]!.state).to.match(/^fail/u);
      // No command of another client ran.
      expect(await job.commands().catch(() => [])).to.deep.equal([]);
    });
  }
});
