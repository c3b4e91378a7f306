import { expect } from 'chai';
import { ForgeError } from '../../../../src/cli/forge/forge-request.js';
import type { Cause } from '../../../../src/cli/forge/issues/causes.js';
import { issueText } from '../../../../src/cli/forge/issues/issue-text.js';
import { syncIssues, type Wanted } from '../../../../src/cli/forge/issues/sync.js';
import { issuesOf } from '../../../../src/cli/forge/place.js';
import { fakeForge, TOKEN } from '../fake-forge.js';
import { OURS } from '../fake-request.js';
import type { FakeIssue } from '../fake-issues.js';
import { forges } from '../forges.js';
import { causeOf, place } from './causes.js';

for (const [name, envOf] of Object.entries(forges)) {
  describe(`issues of causes on ${name}`, () => {
    const forge = fakeForge();

    /** `quiet`: causes that do not fail, and of which a test did not run. */
    async function sync(causes: Cause[], changes: Partial<Wanted> & { quiet?: string[] } = {}) {
      const found = issuesOf(envOf(forge));
      if ('missing' in found) throw new Error(found.missing);
      const { quiet = [], ...wanted } = changes;
      const { done, left } = await syncIssues(
        found.issues,
        { failing: async () => causes, isGone: async (group) => !quiet.includes(group) },
        {
          project: 'project_1',
          textOf: (cause) => issueText(cause, place),
          labels: [],
          most: 20,
          isDryRun: false,
          ...wanted,
        },
      );
      return { did: done.map(({ did, group }) => `${group} ${did}`), left };
    }
    const writes = () => forge.requests.filter((request) => !request.startsWith('GET'));
    const open = () => forge.issues.filter(({ isOpen }) => isOpen).map(({ number }) => number);
    const twin = (of: FakeIssue, changes: Partial<FakeIssue> = {}) => ({ ...of, number: 90, ...changes });

    it('are opened once, updated with what was seen last, and left alone where nothing changed', async () => {
      expect((await sync([causeOf('a'), causeOf('b')])).did).to.deep.equal(['a opened', 'b opened']);
      expect((await sync([causeOf('a'), causeOf('b')])).did).to.deep.equal([]);
      expect((await sync([causeOf('a', { run: 'run_2', results: 9 }), causeOf('b')])).did).to.deep.equal([
        'a updated',
      ]);
      expect(forge.issues.map(({ title, labels }) => [title, labels])).to.deep.equal([
        ['Tests fail: toBe in src/a.ts', ['testledger']],
        ['Tests fail: toBe in src/b.ts', ['testledger']],
      ]);
      expect(forge.issues[0]!.body).to.include('9 results of 2 tests').and.include('/runs/run_2');
    });

    it('are closed when the cause is gone, and opened again when it comes back', async () => {
      await sync([causeOf('a')]);
      expect((await sync([], { quiet: ['a'] })).did).to.deep.equal([]);
      expect((await sync([])).did).to.deep.equal(['a closed']);
      expect(open()).to.deep.equal([]);
      expect(forge.issues[0]!.body).to.include('**Gone**').and.include('pays by card');
      expect(forge.issues[0]!.body).to.not.include('**Fails**');
      expect((await sync([])).did).to.deep.equal([]);
      expect((await sync([causeOf('a', { run: 'run_5' })])).did).to.deep.equal(['a reopened']);
      expect(open()).to.deep.equal([1]);
      expect(forge.issues[0]!.body).to.include('**Fails**').and.not.include('**Gone**');
    });

    it('stay closed by hand until the cause fails in another run, or for ever with a label that says so', async () => {
      await sync([causeOf('a')]);
      forge.issues[0]!.isOpen = false;
      expect((await sync([causeOf('a')])).did).to.deep.equal([]);
      expect((await sync([causeOf('a', { run: 'run_2' })])).did).to.deep.equal(['a reopened']);
      Object.assign(forge.issues[0]!, { isOpen: false, labels: ['testledger', 'testledger-ignored'] });
      expect((await sync([causeOf('a', { run: 'run_3' })])).did).to.deep.equal([]);
      expect(forge.issues).to.have.length(1);
    });

    it('are one where another job opens it in the same moment: the oldest stays, the later is closed as duplicate', async () => {
      await sync([causeOf('a')]);
      forge.meanwhileIssues = [twin(forge.issues[0]!)];
      forge.issues = [];
      expect((await sync([causeOf('a')])).did).to.deep.equal(['a opened', 'a closed as duplicate']);
      expect(open()).to.deep.equal([90]);
      expect(forge.issues[1]!.body).to.include('Duplicate of #90');
      expect((await sync([causeOf('a')])).did).to.deep.equal([]);
      // A later return of the cause opens the oldest one.
      await sync([]);
      await sync([causeOf('a', { run: 'run_9' })]);
      expect(open()).to.deep.equal([90]);
    });

    it('are one after a job that died between its issue and its look at the others', async () => {
      await sync([causeOf('a')]);
      forge.issues.push(twin(forge.issues[0]!));
      expect((await sync([causeOf('a')], { most: 1 })).did).to.deep.equal(['a closed as duplicate']);
      expect(open()).to.deep.equal([1]);
    });

    it('are found on a later page, and are never those of somebody else, of another project or without the label', async () => {
      await sync([causeOf('a')]);
      const [made] = forge.issues;
      const other = (number: number, changes: Partial<FakeIssue>) => ({ ...made!, number, ...changes });
      forge.issues = [
        ...Array.from({ length: 70 }, (_, n) => other(n + 1, { body: 'by hand' })),
        other(80, { author: 'mallory' }),
        other(81, { body: made!.body.replace('project_1', 'project_2') }),
        other(82, {}),
      ];
      expect((await sync([causeOf('a')])).did).to.deep.equal([]);
      forge.issues.at(-1)!.labels = [];
      expect((await sync([causeOf('a')])).did).to.deep.equal(['a opened']);
    });

    it('are at most as many as is asked for in one call, those that are gone and that come back first', async () => {
      await sync([causeOf('a'), causeOf('b')]);
      await sync([causeOf('a')]);
      const causes = [causeOf('c'), causeOf('d'), causeOf('b', { run: 'run_3' })];
      expect(await sync(causes, { most: 2 })).to.deep.equal({ did: ['a closed', 'b reopened'], left: 2 });
      expect(await sync(causes, { most: 1 })).to.deep.equal({ did: ['c opened'], left: 1 });
      expect(await sync(causes)).to.deep.equal({ did: ['d opened'], left: 0 });
    });

    it('are only told of by a dry run', async () => {
      await sync([causeOf('a')]);
      forge.issues.push(twin(forge.issues[0]!));
      forge.requests.length = 0;
      expect((await sync([causeOf('b')], { isDryRun: true })).did).to.deep.equal([
        'a closed as duplicate',
        'a closed',
        'b opened',
      ]);
      expect(writes()).to.deep.equal([]);
    });

    it('get further labels when they are opened', async () => {
      await sync([causeOf('a')], { labels: ['bug', 'tests'] });
      expect(forge.issues[0]!.labels).to.deep.equal(['testledger', 'bug', 'tests']);
    });

    it('are refused with the cause and the permission, without the token', async () => {
      forge.refuseWrites = 403;
      const error = await sync([causeOf('a')]).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ForgeError);
      expect((error as Error).message)
        .to.match(/403: .*(?:`permissions: issues: write`|scope `api` and the role Reporter)/u)
        .and.not.include(TOKEN);
    });

    it('wait for a forge that limits its rate', async () => {
      const text = JSON.stringify({ message: 'You have exceeded a secondary rate limit.' });
      forge.faults = [{ status: 429, text, retryAfter: '0' }];
      expect((await sync([causeOf('a')])).did).to.deep.equal(['a opened']);
    });

    it('are not made where the list of them is too long to be read', async () => {
      const one = { title: '', body: '', isOpen: false, reason: null, labels: ['testledger'], author: OURS };
      forge.issues = Array.from({ length: 10_000 }, (_, n) => ({ ...one, number: n + 1 }));
      const error = await sync([causeOf('a')]).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ForgeError);
      expect(writes()).to.deep.equal([]);
    }).timeout(60_000);
  });
}

describe('issues of causes on GitHub', () => {
  const forge = fakeForge();
  const issues = () => {
    const found = issuesOf(forges.GitHub(forge));
    if ('missing' in found) throw new Error(found.missing);
    return found.issues;
  };
  const text = { title: 't', body: 'b' };

  it('are closed again where the token can set no label, because no job would find them', async () => {
    const error = await issues()
      .create({ ...text, labels: [] })
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ForgeError);
    expect(forge.issues[0]).to.include({ isOpen: false });
  });

  it('are closed with the reason, or as not planned on a server that knows no duplicates', async () => {
    await issues().create({ ...text, labels: ['testledger'] });
    await issues().update(1, { ...text, state: 'duplicate' });
    expect(forge.issues[0]).to.include({ isOpen: false, reason: 'duplicate' });
    await issues().update(1, { ...text, state: 'completed' });
    expect(forge.issues[0]!.reason).to.equal('completed');
    forge.faults = [{ status: 422, text: '{"message":"Validation Failed"}' }];
    await issues().update(1, { ...text, state: 'duplicate' });
    expect(forge.issues[0]!.reason).to.equal('not_planned');
  });

  it('stay closed where somebody closed them as not planned', async () => {
    await issues().create({ ...text, labels: ['testledger'] });
    forge.issues[0]!.reason = 'not_planned';
    for await (const issue of issues().own()) expect(issue.isDeclined).to.equal(true);
    expect(forge.requests.filter((request) => request.startsWith('GET /repos'))).to.have.length(1);
  });
});
