import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { Checks, IdentityProvider } from '../../src/people/oidc/identity-provider.js';
import { groupRolesOf } from '../../src/people/oidc/roles-by-group.js';
import { reseal } from '../../src/roles/reseal.js';
import { refuseOtherKeys } from '../../src/secret-key/sealed-with.js';
import { keyIds, openSealer, type SecretKeys } from '../../src/secret-key/secret-keys.js';
import { openSecrets } from '../../src/webhooks/endpoint/secrets.js';
import { idOf } from '../domain/ids.js';
import { embeddedStores, NOW } from '../stores.js';
import { context, credentialsOf, accountOf, givenOwner, openNode, SECRET } from './given.js';

const URL_OF_HOOK = 'https://hooks.example.org/services/T000/B000/XXXX';
const NEW = 'the second secret of at least 32 characters';
const before: SecretKeys = { current: SECRET, previous: null };
const both: SecretKeys = { current: NEW, previous: SECRET };
const after: SecretKeys = { current: NEW, previous: null };

const checks: Checks = { state: 's', nonce: 'n', verifier: 'v', isAnew: false };

describe('another SECRET_KEY, with the one before it', () => {
  const stores = embeddedStores('each test');
  const webhook = idOf('webhook');
  const resealed = (secretKeys: SecretKeys, lostKey = false) =>
    reseal({ state: stores.state, secretKeys, clock: stores.clock }, { lostKey });
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: Error) => error.message,
    );

  async function givenSealed() {
    await refuseOtherKeys(stores.state, before);
    const { people } = await givenOwner(stores);
    const { token } = await people.signIn(credentialsOf('Olga'));
    const secret = await openSecrets(stores.state, before).create(webhook, stores.clock().toISOString());
    const sealed = await openSecrets(stores.state, before).sealUrl(webhook, URL_OF_HOOK, NOW);
    return { token, secret, hook: { webhook_id: webhook, ...sealed } };
  }

  type Given = Awaited<ReturnType<typeof givenSealed>>;

  async function expectAll(secretKeys: SecretKeys, { token, secret, hook }: Given) {
    const { people } = await openNode(stores, { secretKeys });
    expect((await people.session(token))?.name).to.equal('Olga');
    expect(await people.signIn(credentialsOf('Olga'))).to.have.property('token');
    expect((await people.members(OPERATOR_TEAM)).map(({ email }) => email)).to.deep.equal([
      accountOf('Olga').email,
    ]);
    const now = stores.clock().toISOString();
    const secrets = openSecrets(stores.state, secretKeys);
    expect(await secrets.secretsOf(webhook, now)).to.deep.equal([secret]);
    expect(await secrets.urlOf(hook)).to.equal(URL_OF_HOOK);
  }

  it('keeps sessions, sign-ins, names and the secrets and URLs of webhooks', async () => {
    await expectAll(both, await givenSealed());
  });

  it('is enough alone, once everything is sealed anew', async () => {
    const given = await givenSealed();
    await refuseOtherKeys(stores.state, both);
    expect(await resealed(both)).to.deep.equal({ sealed_anew: 2, unreadable: [], complete: true });
    expect((await resealed(both)).sealed_anew, 'again').to.equal(0);
    await refuseOtherKeys(stores.state, after);
    await expectAll(after, given);
  });

  it('lets no second account have the e-mail of an account of before', async () => {
    await givenSealed();
    const { people } = await openNode(stores, { secretKeys: both });
    const owner = (await people.signIn(credentialsOf('Olga'))).token;
    const { person_id } = (await people.session(owner))!;
    const acting = { person_id, team: OPERATOR_TEAM, role: 'owner', ...context } as const;
    const { token } = await people.invite(acting, 'member');
    const join = people.acceptInvitation(
      token,
      { ...accountOf('Olga'), password: 'another password' },
      context,
    );
    expect(await faultOf(join)).to.be.a('string');
    expect((await people.members(OPERATOR_TEAM)).map(({ name }) => name)).to.deep.equal(['Olga']);
  });

  it('is refused without it, and nothing is changed', async () => {
    await givenSealed();
    const ids = [keyIds(after)[0], keyIds(before)[0]];
    expect(await faultOf(refuseOtherKeys(stores.state, after)))
      .to.include(`key ${ids[1]}; given: ${ids[0]}`)
      .and.include('SECRET_KEY_PREVIOUS');
    await refuseOtherKeys(stores.state, before);
    const { unreadable, complete } = await resealed(after);
    expect([unreadable.length, complete]).to.deep.equal([2, false]);
    await refuseOtherKeys(stores.state, before);
  });

  it('takes the place of a lost one, and what that has sealed is given up', async () => {
    await givenSealed();
    expect((await resealed(after, true)).complete).to.equal(true);
    await refuseOtherKeys(stores.state, after);
  });

  it('changes to and fro while several processes have either as the current one', async () => {
    const given = await givenSealed();
    await refuseOtherKeys(stores.state, both);
    await refuseOtherKeys(stores.state, { current: SECRET, previous: NEW });
    await resealed(both);
    await expectAll({ current: SECRET, previous: NEW }, given);
  });

  it('keeps the identities of a provider', async () => {
    await givenSealed();
    const who = { issuer: 'https://login.example', subject: 'mia', name: 'Mia', groups: ['all'] };
    const email = 'mia@example.org';
    const enter = async (secretKeys: SecretKeys, by: string | null) => {
      const provider: IdentityProvider = {
        begin: () =>
          Promise.resolve({ url: 'https://login.example/', checks: { ...checks, state: randomUUID() } }),
        finish: () => Promise.resolve({ ...who, email: by, isProven: false }),
      };
      const roles = groupRolesOf('all=member');
      const external = { provider, name: 'single sign-on', team: OPERATOR_TEAM, roles };
      const { people } = await openNode(stores, { secretKeys, external });
      const { cookie } = await people.external!.begin('https://reports.example/', '/', null);
      return people.external!.finish(new URL('https://reports.example/'), cookie, {
        ...context,
        address: '192.0.2.1',
      });
    };
    expect(await enter(before, email)).to.have.property('token');
    // Without an e-mail, only the identity leads to the account.
    expect(await enter(both, null)).to.have.property('token');
    await resealed(both);
    expect(await enter(after, null)).to.have.property('token');
    const { people } = await openNode(stores, { secretKeys: after });
    expect((await people.members(OPERATOR_TEAM)).map(({ name }) => name)).to.deep.equal(['Olga', 'Mia']);
  });

  it('has its id in each text, and opens no text of another owner or purpose', () => {
    const sealed = openSealer(both, 'people').seal('one', 'a name');
    expect(sealed).to.match(new RegExp(`^${keyIds(both)[0]}-[\\w-]+$`));
    expect(openSealer(after, 'people').unseal('one', sealed)).to.equal('a name');
    for (const [keys, purpose, owner] of [
      [before, 'people', 'one'],
      [both, 'identities', 'one'],
      [both, 'people', 'two'],
    ] as const)
      expect(() => openSealer(keys, purpose).unseal(owner, sealed)).to.throw();
  });
});
