import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { givenSubmission } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { commandLine, serverThatIsAway } from './command-line.js';

describe('testledger shard-plan', () => {
  const server = testServer();
  const cli = commandLine(server);
  const away = serverThatIsAway();

  const posted = (durations: Record<string, number>, metadata: object = { branch: 'main' }) =>
    givenSubmission(
      cli.owner,
      cli.project,
      Object.entries(durations).map(([name, duration_ms]) => ({ name, duration_ms })),
      { metadata },
    );
  const saved = async (...args: string[]) => {
    const ran = await cli.json(['shard-plan', '--output', 'plan.json', ...args]);
    expect(ran.code, ran.stderr).to.equal(0);
    return { ...ran, plan: JSON.parse(await readFile(join(cli.folder, 'plan.json'), 'utf8')) };
  };

  it('saves the duration in the middle of the newest runs of the default branch', async () => {
    await posted({ pays: 900_000 });
    for (const pays of [400, 100, 300]) await posted({ pays, refunds: 10 });
    await posted({ pays: 7, other: 7 }, { branch: 'feature' });
    const { plan, document } = await saved();
    expect(plan).to.deep.include({
      version: 1,
      project_id: cli.project,
      durations: [
        ['pays', 300],
        ['refunds', 10],
      ],
      known_failures: [],
    });
    expect(plan.run_ids).to.have.lengthOf(3);
    expect(document).to.deep.equal({
      output: 'plan.json',
      runs: plan.run_ids,
      tests: 2,
      known_failures: 0,
    });
  });

  it('adds up the attempts of a test, and reads only the runs of a tool where one is named', async () => {
    const attempts = [
      { name: 'pays', duration_ms: 30, status: 'failed', attempt: 1 },
      { name: 'pays', duration_ms: 50, status: 'passed', attempt: 2 },
    ];
    await givenSubmission(cli.owner, cli.project, attempts, {
      metadata: { branch: 'main', tool: 'playwright' },
    });
    await posted({ pays: 7, unit: 7 }, { branch: 'main', tool: 'vitest' });
    const { plan } = await saved('--tool', 'playwright');
    expect(plan.durations).to.deep.equal([['pays', 80]]);
  });

  it('saves the known failures of all branches and of the branch that is tested', async () => {
    await posted({ pays: 10, refunds: 10, ships: 10 });
    const { data } = (await cli.owner.get(`/v1/projects/${cli.project}/tests`)).body;
    const branches: Record<string, string | null> = { pays: null, refunds: 'feature', ships: 'other' };
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    for (const { id, name } of data)
      await cli.owner.send({
        method: 'PUT',
        path: `/v1/projects/${cli.project}/tests/${id}/known-failure`,
        content: JSON.stringify({ reason: `bug of ${name}`, branch: branches[name], expires_at }),
      });
    const { plan } = await saved('--branch', 'feature');
    expect(plan.known_failures).to.deep.equal([
      ['pays', 'bug of pays'],
      ['refunds', 'bug of refunds'],
    ]);
  });

  it('leaves out a failure that is known in one environment, so that its test runs in the others', async () => {
    await posted({ pays: 10 }, { branch: 'main', environment: { os: 'windows' } });
    const [{ id, environments }] = (await cli.owner.get(`/v1/projects/${cli.project}/tests`)).body.data;
    const { status } = await cli.owner.send({
      method: 'PUT',
      path: `/v1/projects/${cli.project}/tests/${id}/known-failure`,
      content: JSON.stringify({
        reason: 'bug of Windows',
        environment_key: environments[0].environment_key,
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      }),
    });
    expect(status).to.equal(200);
    const { plan } = await saved('--branch', 'main');
    expect(plan.known_failures).to.deep.equal([]);
  });

  it('saves a plan without durations for a project without runs', async () => {
    const { plan } = await saved();
    expect(plan).to.deep.include({ run_ids: [], durations: [], known_failures: [] });
  });

  it('leaves the file as it was where the server is away, and exits with 3', async () => {
    await writeFile(join(cli.folder, 'plan.json'), 'old');
    const ran = await cli.run(['shard-plan', '--output', 'plan.json'], away);
    expect(ran.code).to.equal(3);
    expect(await readFile(join(cli.folder, 'plan.json'), 'utf8')).to.equal('old');
  });
});
