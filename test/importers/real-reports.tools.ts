/** Reports that real runners write, imported by the command line. */
import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { commandLine } from '../cli/command-line.js';
import { testServer } from '../kit/server.js';
import { installRunners } from '../reporters/runners.js';
import { countsOf, givenCommands, postedRuns } from '../reporters/running.js';
import { besideReporters } from './real/beside-reporters.js';
import { copied, realRunners } from './real/runners.js';

describe('the import of the reports of real runners', function () {
  this.timeout(900_000);
  const server = testServer();
  const given = commandLine(server);
  let home: string;
  const folders: string[] = [];
  before(async () => {
    home = await installRunners();
  });
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  for (const runner of realRunners) {
    it(`has the counts that the runner prints, once for one run key: ${runner.name}`, async () => {
      const cwd = await copied(runner.project, home);
      folders.push(cwd);
      const printed = await runner.run(cwd, home);
      const wanted = runner.counts(printed);
      expect(wanted.failed, printed).to.be.above(0);
      expect(wanted.passed, printed).to.be.above(0);
      const args = ['import', `${cwd}/${runner.reports}`, '--attachments-root', cwd, '--run-key', 'k'];
      const first = await given.json(args);
      expect(first.code, first.stderr).to.equal(0);
      const [run] = await runs();
      expect(run.status).to.equal('completed');
      const results = await resultsOf(run.id);
      const none = { passed: 0, failed: 0, skipped: 0, known_fail: 0 };
      // The counts of a run have all attempts of a test; a runner prints how each test ended.
      expect({ ...none, ...countsOf(results) }, printed).to.deep.equal({ ...none, ...wanted });
      expect((await given.json(args)).code).to.equal(0);
      expect(await runs()).to.deep.equal([run]);
      expect(await resultsOf(run.id)).to.deep.equal(results);
    });
  }

  for (const runner of besideReporters) {
    it(`makes the run that our reporter posts: ${runner.name}`, async () => {
      const cwd = await copied(runner.project, home);
      folders.push(cwd);
      const commands = await givenCommands(server);
      const printed = await runner.run(cwd, home, commands.env);
      const [posted] = await postedRuns(commands);
      const { code, stderr } = await given.json(['import', `${cwd}/${runner.report}`]);
      expect(code, stderr).to.equal(0);
      const [run] = await runs();
      expect(standingOf(await resultsOf(run.id)), printed).to.deep.equal(
        standingOf(posted!.results)
          .map(runner.asWritten ?? ((line) => line))
          .sort(),
      );
      expect(run.outcome).to.equal(posted!.run.outcome);
    });
  }

  type Posted = { name: string; status: string; superseded_by: string | null };
  /** The results that no later attempt supersedes. */
  const standingOf = (results: readonly Posted[]) =>
    results
      .filter(({ superseded_by: by }) => by === null)
      .map(({ name, status }) => `${status} ${name}`)
      .sort();
  const runs = async () => (await given.owner.get(`/v1/test-runs?project_id=${given.project}`)).body.data;
  const resultsOf = async (run: string) =>
    (await given.owner.get(`/v1/test-runs/${run}/results?per_page=100`)).body.data;
});
