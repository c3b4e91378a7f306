import { expect } from 'chai';
import { ForgeError } from '../../../src/cli/forge/forge-request.js';
import { statusesOf } from '../../../src/cli/forge/place.js';
import { reportStatus } from '../../../src/cli/forge/statuses/report-status.js';
import { annotationsOfCheck, statusName, statusOf } from '../../../src/cli/forge/statuses/statuses.js';
import { factsOf, resultOf } from '../summary/facts.js';
import { fakeForge, TOKEN } from './fake-forge.js';
import { forges } from './forges.js';

const failedRun: Parameters<typeof factsOf>[0]['run'] & {} = {
  outcome: 'failed',
  gate: 'failed',
  gate_reasons: ['new_failures'],
  new_failures: 2,
};

for (const [name, envOf] of Object.entries(forges)) {
  describe(`status of a commit on ${name}`, () => {
    const forge = fakeForge();
    const isGitHub = name === 'GitHub';
    const states = isGitHub ? ['pending', 'failure', 'success'] : ['running', 'failed', 'success'];
    const warnings: string[] = [];
    beforeEach(() => void (warnings.length = 0));

    function report(changes: Parameters<typeof factsOf>[0], flags = { status: true, check: false }) {
      const found = statusesOf({ ...envOf(forge), CI_PIPELINE_ID: '9', CI_COMMIT_SHA: '0123456789abcdef' });
      if ('missing' in found) throw new Error(found.missing);
      return reportStatus(found.statuses, factsOf(changes), {
        ...flags,
        warn: (text) => void warnings.push(text),
      });
    }

    it('is pending while the run is open, and then what the gate says', async () => {
      await report({ run: { status: 'running', gate: null } });
      await report({ run: failedRun, counts: { new_failures: 2 } });
      await report({});
      expect(forge.statuses.map(({ state }) => state)).to.deep.equal(states);
      expect(forge.statuses.at(-1)).to.include({
        commit: '0123456789abcdef',
        name: 'testledger / Shop',
        url: 'https://ledger.example/runs/run_1',
      });
      expect(forge.statuses[1]!.description).to.match(/^2 failed: 2 new/u);
    });

    it('is pending while the server is behind', async () => {
      await report({ isCurrent: false });
      expect(forge.statuses[0]!.state).to.equal(states[0]);
    });

    it('may be set twice in the same state', async () => {
      await report({ run: { status: 'running', gate: null } });
      await report({ run: { status: 'running', gate: null } });
      expect(forge.statuses[0]!.state).to.equal(states[0]);
    });

    it('is refused with the cause and the permission, without the token', async () => {
      forge.refuseWrites = 403;
      const error = await report({}).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ForgeError);
      expect((error as Error).message)
        .to.match(
          isGitHub ? /403: .*`permissions: statuses: write`/u : /403: .*scope `api` and the role Developer/u,
        )
        .and.not.include(TOKEN);
    });

    it('is refused for a run without a commit, and for one whose commit could be another path', async () => {
      for (const commit of [null, '../../issues', 'abc'])
        expect(await report({ run: { commit } }).catch(({ message }: Error) => message)).to.equal(
          'the run has no commit',
        );
      expect(forge.requests).to.deep.equal([]);
    });

    it('takes the place of a check that the forge refuses, and a line says so', async () => {
      forge.takesChecks = false;
      const reported = await report({}, { status: false, check: true });
      expect(reported).to.deep.equal({ kind: 'status', name: 'testledger / Shop', state: 'success' });
      expect(forge.statuses.map(({ kind }) => kind)).to.deep.equal(['status']);
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(
        isGitHub ? /403: You must authenticate via a GitHub App\..*checks: write/u : /no checks/u,
      );
      expect(warnings[0]).to.include('a commit status is set in its place');
    });
  });
}

describe('status of a commit on GitLab', () => {
  const forge = fakeForge();
  it('belongs to the pipeline of the job, where that is of the commit', async () => {
    for (const commit of ['0123456789abcdef', 'fedcba9876543210']) {
      const env = { ...forges.GitLab(forge), CI_PIPELINE_ID: '9', CI_COMMIT_SHA: commit };
      const found = statusesOf(env) as Extract<ReturnType<typeof statusesOf>, { statuses: unknown }>;
      await found.statuses.set(statusOf(factsOf({}))!);
    }
    expect(forge.statuses.map(({ pipeline }) => pipeline)).to.deep.equal([9, undefined]);
  });
});

describe('check of a commit on GitHub', () => {
  const forge = fakeForge();

  function report(changes: Parameters<typeof factsOf>[0]) {
    const found = statusesOf(forges.GitHub(forge));
    if ('missing' in found) throw new Error(found.missing);
    const flags = { status: false, check: true, warn: (text: string) => expect.fail(text) };
    return reportStatus(found.statuses, factsOf(changes), flags);
  }

  it('has new failures as annotations at their lines', async () => {
    const newFailures = [
      resultOf({ name: 'pays', file: './src/cart.js', line: 7 }),
      resultOf({ name: 'ships', file: 'src/ship.js', error_message: '' }),
      resultOf({ name: 'nowhere' }),
    ];
    await report({ run: failedRun, counts: { new_failures: 3 }, newFailures });
    const [check] = forge.statuses;
    expect(check).to.include({ kind: 'check', state: 'failure', run: 'run_1' });
    expect(
      check!.annotations!.map(({ path, start_line, title, message }) => [path, start_line, title, message]),
    ).to.deep.equal([
      ['src/cart.js', 7, 'pays', 'expected 3 to equal 4'],
      ['src/ship.js', 1, 'ships', 'The test failed.'],
    ]);
  });

  it('that was made while the run was open is completed, and a completed one is followed by another', async () => {
    await report({ run: { status: 'running', gate: null } });
    expect(forge.statuses.map(({ state }) => state)).to.deep.equal(['in_progress']);
    await report({});
    expect(forge.statuses.map(({ state }) => state)).to.deep.equal(['success']);
    await report({});
    expect(forge.statuses.map(({ state }) => state)).to.deep.equal(['success', 'success']);
  });

  it('has at most 50 annotations', () => {
    const results = Array.from({ length: 60 }, (_, line) => resultOf({ file: 'a.js', line }));
    expect(annotationsOfCheck(results)).to.have.length(50);
    expect(annotationsOfCheck(results)[0]!.line).to.equal(1);
  });
});

describe('the name of a status', () => {
  const nameOf = (run: Parameters<typeof factsOf>[0]['run'], project = 'Shop') => {
    const facts = factsOf({ run: run! });
    return statusName({ ...facts, project: { ...facts.project, name: project } });
  };

  it('has the project, the tool and the environment, so that legs of a matrix do not overwrite each other', () => {
    expect(nameOf({ tool: 'jest', environment_key: 'node=22,os=linux' })).to.equal(
      'testledger / Shop / jest / node=22,os=linux',
    );
    expect(nameOf({})).to.equal('testledger / Shop');
  });

  it('is within 255 characters, and two long ones stay two', () => {
    const names = ['a', 'b'].map((end) => nameOf({ environment_key: `${'x'.repeat(400)}${end}` }));
    for (const name of names) expect(Array.from(name)).to.have.length(255);
    expect(names[0]).to.not.equal(names[1]);
  });
});
