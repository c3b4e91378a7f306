import { expect } from 'chai';
import { isApiKey } from '../../src/domain/teams/api-key.js';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { servers } from '../kit/process.js';

describe('the process: a key that is made on the machine', () => {
  const given = servers();
  const create = async (...options: string[]) => {
    const command = given.cli(['keys', 'create', '--local', ...options]);
    const { code } = await command.ended;
    return { code, stdout: command.stdout(), stderr: command.stderr() };
  };

  it('is printed alone and once, and works at the next start with its role', async () => {
    await (await given.start()).stop();
    const made = await create('--role', 'owner', '--name', 'found again');
    expect(made.code, made.stderr).to.equal(0);
    const key = made.stdout.trimEnd();
    expect(isApiKey(key), made.stdout).to.equal(true);
    expect(made.stderr).to.include('shown only now').and.not.include(key);

    const server = await given.start();
    const me = await fetch(`${server.url}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    const { data } = (await me.json()) as { data: { key: object; team: { id: string } } };
    expect(data.key).to.include({ role: 'owner', name: 'found again' });
    expect(data.team.id).to.equal(OPERATOR_TEAM);
    const { body } = await server.owner.get('/v1/keys');
    expect(body.data.at(-1)).to.include({ name: 'found again', created_by: null });
  });

  it('is refused while a server runs on the files, and the command says what to do', async () => {
    const server = await given.start();
    const { code, stdout, stderr } = await create('--role', 'owner');
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.include('Stop the server').and.include('leave out --local');
    expect((await server.owner.get('/v1/me')).status).to.equal(200);
  });

  it('needs a role, a team that exists and a ledger', async () => {
    expect(await create('--role', 'owner')).to.deep.include({ code: 1, stdout: '' });
    await (await given.start()).stop();
    expect((await create()).code).to.equal(2);
    expect((await create('--role', 'king')).stderr).to.match(
      /"reporter", "viewer", "member", "admin", "owner"/,
    );
    expect((await create('--role', 'owner', '--team', 'Shop')).code).to.equal(2);
    const other = await create('--role', 'owner', '--team', 'team_01h455vb4pex5vsknk084sn02q');
    expect(other).to.deep.include({ code: 1, stdout: '' });
    expect(other.stderr).to.include('there is no team');
  });
});
