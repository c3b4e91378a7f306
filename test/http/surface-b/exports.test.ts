import { expect } from 'chai';
import type { Answer, Api } from '../../kit/client.js';
import { testServer } from '../../kit/server.js';
import { givenKey, givenProject, givenResult, givenRun, givenSubmission, givenTeam } from '../given.js';
import { expectError } from '../refusals.js';

describe('surface B: the tables for analysts:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner, { name: 'Shop, "web"' });
  });

  const exported = async (path: string, by: Api = team.owner) => {
    const answer = await by.get(`/v1/exports/${path}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer;
  };
  const positionOf = ({ headers }: Answer) => headers.get('x-position')!;

  it('are CSV of a position, with an empty cell for none', async () => {
    const metadata = { branch: 'main', commit: 'c0ffee', actor: '', environment: { os: 'linux' } };
    const { run, results } = await givenSubmission(
      team.owner,
      project,
      [{ name: 'adds, up', metadata: { file: 'a.ts', line: 3, tags: ['slow'] }, duration_ms: 5 }],
      { metadata, label: 'nightly' },
    );
    const answer = await exported('results');
    expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(positionOf(answer)).to.match(/^\d{20}$/);
    const [names, row, ...more] = answer.text.split('\n');
    expect(names).to.match(/^result_id,revision,position,project_id,project,.*,recorded_at,deleted$/);
    expect(more).to.deep.equal(['']);
    expect(row).to.match(
      new RegExp(
        `^${results[0]},1,\\d{20}-000000,${project},"Shop, ""web""",${run},nightly,,main,c0ffee,,"",,,os=linux,test_\\w+,` +
          `"adds, up",a.ts,3,,,"\\[""slow""\\]",,,1,,,passed,false,,5,,.*,false$`,
      ),
    );
    const ofRuns = (await exported('runs')).text.split('\n');
    expect(ofRuns[1]).to.match(
      new RegExp(`^${run},1,\\d{20},${project},.*,completed,passed,passed,1,1,0,0,0,`),
    );
  });

  it('show an old position as it was, and from there what changed since', async () => {
    const { run, results } = await givenSubmission(team.owner, project, [{ status: 'failed' }, {}, {}]);
    const [before, runsBefore] = [await exported('results'), await exported('runs')];
    await team.owner.post(`/v1/test/result/${results[0]}`, { status: 'Passed' });
    await team.owner.delete(`/v1/test/result/${results[1]}`);
    await givenResult(team.owner, project, { test_run_id: run });
    const until = positionOf(before);
    expect((await exported(`results?until=${until}`)).text).to.equal(before.text);
    const ofRun = (text: string) => text.split('\n')[1]!.replace(',failed,failed,', ',failed,,');
    expect((await exported(`runs?until=${until}`)).text.split('\n')[1]).to.equal(ofRun(runsBefore.text));
    const since = (await exported(`results?after=${until}`)).text.split('\n').slice(1, -1);
    expect(since.map((row) => row.split(',')[1])).to.deep.equal(['2', '2', '1']);
    expect(since.map((row) => row.split(',').at(-1))).to.deep.equal(['false', 'true', 'false']);
    expect((await exported(`runs?after=${until}`)).text.split('\n')).to.have.length(3);
    expect(
      (await exported(`results?after=${positionOf(await exported('runs'))}`)).text.split('\n'),
    ).to.have.length(2);
  });

  it('have the contents where they are asked for, and none of what is forgotten', async () => {
    const error = { type: 'AssertionError', message: 'no', stack: 'at a' };
    const { results } = await givenSubmission(team.owner, project, [
      { status: 'failed', metadata: { error, file: 'a.ts', more: 'said' } },
      { status: 'failed', error_message: 'told', metadata: { more: 'gone' } },
    ]);
    const { text } = await exported('results?contents=true');
    const [names, first, second] = text.split('\n') as [string, string, string];
    expect(names).to.match(/,deleted,error_type,error_message,error_stack,metadata$/);
    expect(first).to.match(/,false,AssertionError,no,at a,".*""more"":""said"".*"$/);
    expect(second).to.match(/,false,,told,,"\{""more"":""gone""\}"$/);
    expect((await exported('results')).text).not.to.match(/said|told/);
    await team.owner.delete(`/v1/test/result/${results[1]}`);
    const after = (await exported('results?contents=true')).text;
    expect(after)
      .to.include('said')
      .and.not.to.match(/told|gone/);
  });

  it('forget what is redacted, at older positions too', async () => {
    const items = [{ status: 'failed', error_message: 'told' }, { error_message: 'told' }];
    const { run, results } = await givenSubmission(team.owner, project, items, { label: 'of Ann' });
    const before = positionOf(await exported('results'));
    const redact = async (path: string) => team.owner.post(`/v1/${path}/redact`, { reason: 'a secret' });
    expect((await redact(`test-results/${results[0]}`)).status).to.equal(200);
    const [, row, ...more] = (await exported(`results?contents=true&after=${before}`)).text.split('\n');
    expect(more).to.deep.equal(['']);
    expect(row).to.match(new RegExp(`^${results[0]},2,.*,failed,.*,false,,,,$`));
    expect((await redact(`test-runs/${run}`)).status).to.equal(200);
    for (const query of ['', `&until=${before}`]) {
      expect((await exported(`results?contents=true${query}`)).text).not.to.match(/told|Ann/);
      expect((await exported(`runs?format=csv${query}`)).text)
        .to.include('[redacted]')
        .and.not.to.include('Ann');
    }
    expect((await exported(`runs?after=${before}`)).text.split('\n')[1]).to.match(new RegExp(`^${run},3,`));
  });

  it('are Parquet where that is asked for', async () => {
    await givenSubmission(team.owner, project, [{}, {}]);
    for (const table of ['results', 'runs']) {
      const { text, headers } = await exported(`${table}?format=parquet`);
      expect(headers.get('content-type')).to.equal('application/vnd.apache.parquet');
      expect(text.slice(0, 4) + text.slice(-4)).to.equal('PAR1PAR1');
    }
    expectError(await team.owner.get('/v1/exports/runs?format=xlsx'), 400, 'invalid_request');
  });

  it('are of the projects of the key, and of one that is named', async () => {
    const other = await givenProject(team.owner, { name: 'Other' });
    for (const id of [project, other]) {
      await givenSubmission(team.owner, id, [{}]);
      await givenRun(team.owner, id);
    }
    const made = await team.owner.post('/v1/keys', {
      name: 'narrow',
      role: 'viewer',
      project_ids: [project],
    });
    const narrow = server.as(made.body.data.key);
    for (const table of ['results', 'runs']) {
      const of = async (by: Api, query: string) => (await exported(`${table}${query}`, by)).text;
      expect(await of(narrow, ''))
        .to.include(project)
        .and.not.to.include(other);
      expect(await of(team.owner, ''))
        .to.include(project)
        .and.to.include(other);
      expect(await of(team.owner, `?project_id=${other}`))
        .to.include(other)
        .and.not.to.include(project);
      expect((await of(narrow, `?project_id=${other}`)).split('\n')).to.have.length(2);
    }
  });

  it('are refused to reporters, and for a position that the log has not given', async () => {
    const reporter = server.as(await givenKey(team.owner, 'reporter'));
    expectError(await reporter.get('/v1/exports/results'), 403, 'forbidden');
    for (const name of ['after', 'until']) {
      const answer = await team.owner.get(`/v1/exports/runs?${name}=99999999999999999999`);
      expectError(answer, 400, 'invalid_request');
      expect(answer.text).to.include('not_a_position').and.to.include(`?${name}`);
    }
  });
});
