import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { givenWebhook } from '../http/given.js';
import { servers, until } from '../kit/process.js';
import { openEndpoint } from '../webhooks/delivery/endpoint.js';
import { accountOf, browser } from './browser.js';

const env = { WEBHOOK_ALLOW: '127.0.0.0/8' };

describe('the process: another SECRET_KEY', () => {
  const given = servers();
  const own = () => join(given.folder, 'secret.key');
  const former = () => join(given.folder, 'former.key');
  const command = async (args: string[], more = {}) => {
    const program = given.cli(args, { env: more });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };

  it('takes over sessions, webhooks, invitations and links; after `reseal` the former one can go', async () => {
    const endpoint = await openEndpoint();
    const first = await given.start({ env });
    const olga = browser(first);
    const link = /\/first-start\/[\w-]{43}/.exec(first.stderr())![0];
    expect((await olga(link, accountOf('Olga'))).status).to.equal(303);
    const hook = await givenWebhook(first.owner, { url: endpoint.url, events: ['test.failed'] });
    const invited = await command(['people', 'invite', '--role', 'member']);
    const signedAlike = async (server: typeof first) => {
      const before = endpoint.taken.length;
      expect((await server.owner.post(`/v1/webhooks/${hook.id}/ping`)).status).to.equal(202);
      await until('a ping', () => Promise.resolve(endpoint.taken.length > before));
      const { headers, body } = endpoint.taken.at(-1)!;
      expect(() => new Webhook(hook.secret).verify(body, headers as Record<string, string>)).to.not.throw();
    };
    await signedAlike(first);
    await first.stop();

    await rename(own(), former());
    const rotated = { ...env, SECRET_KEY_PREVIOUS_FILE: former() };
    const second = await given.start({ env: rotated });
    expect(await readFile(own(), 'utf8')).to.not.equal(await readFile(former(), 'utf8'));
    olga.goTo(second);
    expect((await olga('/account')).status).to.equal(200);
    await signedAlike(second);
    const mia = browser(second);
    const joined = await mia(new URL(invited.stdout.trimEnd()).pathname, accountOf('Mia'));
    expect(joined.status).to.equal(303);
    const resealed = await command(['reseal'], rotated);
    expect(resealed.code, resealed.stderr).to.equal(0);
    expect(resealed.stdout).to.include('a start needs SECRET_KEY only');
    expect((await olga('/account')).text, 'beside the running server').to.include('olga@example.org');
    await second.stop();

    await rm(former());
    const third = await given.start({ env });
    for (const person of [olga, mia]) {
      person.goTo(third);
      expect((await person('/account')).status).to.equal(200);
    }
    await signedAlike(third);
    await endpoint.close();
  });

  it('without the former one is refused by a sentence that says what to do, and nothing is lost', async () => {
    const first = await given.start();
    const olga = browser(first);
    const link = /\/first-start\/[\w-]{43}/.exec(first.stderr())![0];
    await olga(link, accountOf('Olga'));
    await first.stop();
    const secret = await readFile(own(), 'utf8');
    const wrong = given.launch({ env: { SECRET_KEY: 'x'.repeat(32) } });
    expect((await wrong.ended).code).to.equal(1);
    expect(wrong.stderr())
      .to.match(/^testledger cannot start: the state was sealed with another SECRET_KEY \(key [\da-f]{8}; /)
      .and.include('set it as SECRET_KEY_PREVIOUS')
      .and.include('Nothing was changed');
    expect(wrong.stderr() + wrong.stdout()).to.not.include('x'.repeat(32));
    const refused = await command(['reseal'], { SECRET_KEY: 'x'.repeat(32) });
    expect(refused.code).to.equal(1);
    expect(refused.stdout).to.include('sealed with a key that is not given: person ');
    await writeFile(own(), secret, { mode: 0o600 });
    const again = await given.start();
    olga.goTo(again);
    expect((await olga('/account')).status).to.equal(200);
  });
});
