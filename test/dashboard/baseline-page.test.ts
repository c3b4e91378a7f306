import { expect } from 'chai';
import { bodyOf, givenProject, givenSubmission, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { visit } from './shown-page.js';

describe('the pages of a run and its baseline', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  const tests = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `test ${n}`, metadata: { file: 'all.test.ts' } }));
  const given = async (count: number, branch = 'main') =>
    (await givenSubmission(team.owner, project, tests(count), { metadata: { branch } })).run;
  const open = async (path: string, role: 'viewer' | 'member' = 'viewer') => {
    const { html, reply } = await visit(`/teams/${team.id}/runs/${path}`, {
      api: team.owner,
      team: team.id,
      role,
    });
    return { html, reply, text: html.replaceAll(/<[^>]+>/gu, '').replaceAll(/\s+/gu, ' ') };
  };

  it('say how many newer runs were passed over, and why, and how many tests are missing', async () => {
    await given(4);
    await given(1);
    const run = await given(3, 'feature');
    const { text } = await open(run);
    expect(text).to.include('A newer run was passed over because it has less than half of the tests.');
    expect(text).to.include('Ran 3 of 4 tests of main; 1 missing, in 1 file.');
    const { reply } = await open(`${run}.md`);
    expect(reply).to.have.property('text').that.includes('Ran 3 of 4 tests of main; 1 missing, in 1 file.');
    const json = JSON.parse((await open(`${run}.json`)).reply['text' as never]) as { comparison: object };
    expect(json.comparison).to.deep.include({
      passed_over: { runs: 1, reason: 'too_small' },
      baseline_tests: 4,
    });
  });

  it('say that nobody looked for missing tests where no earlier run is fit', async () => {
    const uncompared =
      'No earlier run of main is fit to compare with: tests that are missing were not looked for.';
    await givenSubmission(team.owner, project, [{ status: 'skipped' }], { metadata: { branch: 'main' } });
    const run = await given(3, 'feature');
    const { reply } = await open(`${run}.md`);
    for (const shown of [(await open(run)).text, reply['text' as never] as string]) {
      expect(shown.replaceAll(/\s+/gu, ' ')).to.include(
        `${uncompared} An earlier run was passed over because nothing ran in it.`,
      );
    }
  });

  it('say of a removed test how it went in the baseline, and nothing that looks like an outcome here', async () => {
    await given(4);
    const run = await given(3, 'feature');
    const { html, text } = await open(run);
    expect(text).to.include('passed in the baseline').and.include('have not finished here');
    const [removed] = /<details class="section" id="of-removed">.*?<\/details>/su.exec(html)!;
    expect(removed).to.not.include('class="outcome');
    const markdown = (await open(`${run}.md`)).reply['text' as never] as string;
    expect(markdown).to.match(/## Removed\s+- .* \(passed in the baseline\) </u);
    const json = JSON.parse((await open(`${run}.json`)).reply['text' as never]) as { removed: object[] };
    expect(json.removed[0]).to.include({ status_in_baseline: 'passed' }).and.not.have.property('status');
  });

  it('let a member accept a run of the default branch, set it aside, and take that back', async () => {
    const run = await given(2);
    expect((await open(run)).html).not.to.include('name="baseline"');
    expect((await open(await given(2, 'feature'), 'member')).html).not.to.include('name="baseline"');
    const { html } = await open(run, 'member');
    expect(html).to.match(/name="baseline" value="fit".*name="baseline" value="unfit"/su);
    await team.owner.patch(`/v1/test-runs/${run}`, { baseline: 'unfit' });
    const aside = await open(run, 'member');
    expect(aside.text).to.include('Somebody set this run aside: no run is compared with it.');
    expect(aside.text).to.include('Undo');
    expect((await open(run)).text).to.include('Somebody set this run aside');
    expect((await bodyOf(team.owner, `/v1/test-runs/${run}`)).data.baseline).to.equal('unfit');
  });

  it('list tests that may have another name now beside that name', async () => {
    await givenSubmission(team.owner, project, [{ name: 'cart › pays' }], { metadata: { branch: 'main' } });
    const { run } = await givenSubmission(team.owner, project, [{ name: 'checkout › pays' }]);
    expect((await open(run)).text).to.include('1 test with another name, maybe');
    const { text } = await open(`${run}/compare?kind=renamed_maybe`);
    expect(text).to.include('cart › pays').and.to.include('checkout › pays');
    expect(text).to.include('Renamed, maybe 1');
  });
});
