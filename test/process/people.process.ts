import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { SECRET_KEY } from '../kit/environment.js';
import { servers } from '../kit/process.js';
import { accountOf, browser } from './browser.js';

describe('the process: people, by the command line beside a running server', () => {
  const given = servers();
  const people = async (...args: string[]) => {
    const command = given.cli(['people', ...args]);
    const { code } = await command.ended;
    return { code, stdout: command.stdout(), stderr: command.stderr() };
  };
  /** The path of the link that a command prints alone. */
  const linkOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await people(...args);
    expect(code, stderr).to.equal(0);
    return new URL(stdout.trimEnd()).pathname;
  };

  async function givenOwner() {
    const server = await given.start();
    const olga = browser(server);
    const link = /\/first-start\/[\w-]{43}/.exec(server.stderr())![0];
    expect((await olga(link, accountOf('Olga'))).status).to.equal(303);
    return { server, olga };
  }

  it('a team of the API gets its first owner by an invitation', async () => {
    const { server } = await givenOwner();
    const { body } = await server.owner.post('/v1/teams', { name: 'Shop' });
    const team = body.data.id as string;
    const mia = browser(server);
    const joined = await mia(await linkOf('invite', '--role', 'owner', '--team', team), accountOf('Mia'));
    expect([joined.status, joined.location]).to.deep.equal([303, `/teams/${team}`]);
    const { text } = await mia(`/teams/${team}/team`);
    expect(text).to.include('Mia').and.include('>Invite<');
  });

  it('the only owner sets a new password by a link', async () => {
    const { server, olga } = await givenOwner();
    const link = await linkOf('reset-link', 'OLGA@example.org');
    const set = await browser(server)(link, { password: 'another password' });
    expect([set.status, set.location]).to.deep.equal([303, '/']);
    expect((await olga('/account')).status, 'a session of before').to.equal(303);
    expect((await browser(server)(link)).status, 'used once').to.equal(404);
  });

  it('a person is forgotten who is in no team any more, and no member is', async () => {
    const { server, olga } = await givenOwner();
    const mia = browser(server);
    expect((await mia(await linkOf('invite', '--role', 'member'), accountOf('Mia'))).status).to.equal(303);
    const refused = await people('forget', 'mia@example.org');
    expect(refused).to.deep.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.include('the person is still in a team');
    await mia(`/teams/${OPERATOR_TEAM}/team`);
    await mia(`/teams/${OPERATOR_TEAM}/team/leave`, {});
    const key = async () => (await people('reset-link', 'mia@example.org')).code;
    expect(await key(), 'the account is there').to.equal(0);
    expect((await people('forget', 'mia@example.org')).code).to.equal(0);
    expect(await key(), 'the account is gone').to.equal(1);
    expect((await people('forget', 'mia@example.org')).stderr).to.include('no account has this e-mail');
    expect((await olga('/account')).status).to.equal(200);
  });

  it('a link can be opened by a browser where the server listens on all addresses', async () => {
    await given.start();
    for (const host of ['0.0.0.0', '::']) {
      const command = given.cli(['people', 'invite', '--role', 'owner'], {
        env: { HOST: host, PORT: '8080' },
      });
      expect((await command.ended).code, command.stderr()).to.equal(0);
      expect(new URL(command.stdout().trimEnd()).host).to.equal('127.0.0.1:8080');
    }
  });

  it('nothing is made without a ledger, or for a team that does not exist', async () => {
    expect(await people('invite', '--role', 'owner')).to.deep.include({ code: 1, stdout: '' });
    await given.start();
    const other = await people('invite', '--role', 'owner', '--team', 'team_01h455vb4pex5vsknk084sn02q');
    expect(other.stderr).to.include('there is no team');
    expect((await people('invite', '--role', 'owner', '--team', 'Shop')).code).to.equal(2);
    expect((await people('invite')).code).to.equal(2);
  });

  it('without the SECRET_KEY of the server, an invitation is made, and no other key that finds nobody', async () => {
    await given.start({ env: { SECRET_KEY } });
    for (const args of [
      ['reset-link', 'olga@example.org'],
      ['forget', 'olga@example.org'],
    ]) {
      const { code, stderr } = await people(...args);
      expect(code).to.equal(1);
      expect(stderr).to.match(/there is no secret\.key in .*; set SECRET_KEY or DATA_DIR/);
    }
    expect(await linkOf('invite', '--role', 'member')).to.include('/invitations/');
    expect(existsSync(join(given.folder, 'secret.key'))).to.equal(false);
  });
});
