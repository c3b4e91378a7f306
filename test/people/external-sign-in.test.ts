import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { MemberRole } from '../../src/domain/teams/roles.js';
import { openIdentityProvider } from '../../src/people/oidc/identity-provider.js';
import { groupRolesOf, roleByGroups } from '../../src/people/oidc/roles-by-group.js';
import { embeddedStores } from '../stores.js';
import { context, externalSignIns, mia, REDIRECT, rules } from './external.js';
import { accountOf, credentialsOf, givenMember, newKey } from './given.js';
import type { Claims } from './provider.js';

describe('sign-in by an identity provider', () => {
  const stores = embeddedStores('each test');
  const { provider, given, openWith } = externalSignIns(stores);

  it('makes a person a member with the role of their group, and leads them on', async () => {
    const { people, enter } = await given();
    const { token, next } = await enter('mia-1', mia(['developers', 'everybody']));
    expect(next).to.equal('/teams/x');
    const person = await people.session(token);
    expect(person).to.include({ name: 'Mia', email: 'mia@example.org' });
    expect(person!.memberships.map(({ team_id, role }) => [team_id, role])).to.deep.equal([
      [OPERATOR_TEAM, 'member'],
    ]);
  });

  it('follows the groups at each sign-in: the role rises, falls and ends with them', async () => {
    const { people, enter, roleOf, code } = await given();
    const roles: (MemberRole | null)[] = [];
    for (const groups of [['everybody'], ['ledger-admins'], ['developers']]) {
      await enter('mia-1', mia(groups));
      roles.push(await roleOf('Mia'));
    }
    expect(roles).to.deep.equal(['viewer', 'admin', 'member']);
    const { token } = await enter('mia-1', mia(['developers']));
    expect(await code(enter('mia-1', mia([])))).to.equal('sign_in_failed');
    expect(await people.session(token), 'earlier sessions end').to.equal(null);
    expect(await roleOf('Mia')).to.equal(null);
  });

  it('knows a person by the id of the provider, though their e-mail changes', async () => {
    const { people, enter } = await given();
    const first = await people.session((await enter('mia-1', mia(['developers']))).token);
    const changed = { ...mia(['developers']), email: 'mia@other.example' };
    const second = await people.session((await enter('mia-1', changed)).token);
    expect(second!.person_id).to.equal(first!.person_id);
    expect((await people.session((await enter('mia-1', changed)).token))!.email).to.equal(changed.email);
  });

  it('finds the account of an invited person by a verified e-mail, and leaves a role that an admin gave', async () => {
    const { people, enter, olga, roleOf } = await given();
    const acting = {
      person_id: olga.person_id,
      team: OPERATOR_TEAM,
      role: 'owner',
      correlationId: 'r',
    } as const;
    const { token } = await people.invite(acting, 'admin');
    await people.acceptInvitation(token, accountOf('Mia'), context);
    await enter('mia-1', mia([]));
    expect(await roleOf('Mia')).to.equal('admin');
  });

  it('ends the password and the sessions of an account that it finds by its e-mail: somebody else may have made it', async () => {
    const { people, enter, olga, code } = await given();
    const mallory = await givenMember(people, olga, 'Mia', 'viewer');
    const { token } = await enter('mia-1', mia(['ledger-admins']));
    expect(await people.session(mallory.token)).to.equal(null);
    expect(await code(people.signIn(credentialsOf('Mia')))).to.equal('sign_in_failed');
    const person = await people.session(token);
    expect(person!.memberships[0]!.role).to.equal('admin');
    // A session alone must open no way in beside the provider.
    const passwords = { current: '', next: credentialsOf('Mia').password };
    expect(await code(people.changePassword(person!.person_id, passwords))).to.equal('forbidden');
    expect(await code(people.resetLink(olga, person!.person_id))).to.equal('forbidden');
    const again = await people.session((await enter('mia-1', mia(['ledger-admins']))).token);
    expect(again!.person_id).to.equal(person!.person_id);
  });

  it('gives the account of an identity to no other one with the same e-mail, nor its keys', async () => {
    const node = await given();
    const { people, enter, code, olga } = node;
    const john = (await people.session((await enter('john-2019', mia(['ledger-admins']))).token))!;
    const key = await newKey(node, { ...olga, role: 'admin', person_id: john.person_id }, 'admin');
    expect(await code(enter('john-2026', mia(['everybody'])))).to.equal('sign_in_failed');
    expect(node.directory.known(key)?.role).to.equal('admin');
    // Once the first one was removed, the second one begins anew.
    await people.removeMember(olga, john.person_id);
    const second = (await people.session((await enter('john-2026', mia(['everybody']))).token))!;
    expect(second.person_id).not.to.equal(john.person_id);
    expect(await node.directory.find(key)).to.equal(null);
    const back = (await people.session((await enter('john-2019', mia(['ledger-admins']))).token))!;
    expect(back.person_id).to.equal(john.person_id);
  });

  it('ends the keys of an account that it finds by its e-mail: they would rise with the role of another person', async () => {
    const node = await given();
    const { people, enter, olga } = node;
    const { acting: vera } = await givenMember(people, olga, 'Vera', 'admin');
    const key = await newKey(node, vera, 'admin');
    await people.changeRole(olga, vera.person_id, 'viewer');
    const password = credentialsOf('Vera').password;
    await people.changeProfile(vera.person_id, { name: 'Vera', email: 'mia@example.org' }, password);
    const ceo = (await people.session((await enter('mia-1', mia(['ledger-admins']))).token))!;
    expect(ceo.memberships[0]!.role).to.equal('admin');
    expect(await node.directory.find(key)).to.equal(null);
  });

  it('lets nobody who signs in by the provider take the e-mail of another person', async () => {
    const { people, enter, code } = await given();
    const claims = { ...mia(['everybody']), name: 'Mallory', email: 'mallory@example.org' };
    const mallory = (await people.session((await enter('mallory', claims)).token))!.person_id;
    const wanted = { name: 'Mallory', email: 'mia@example.org' };
    expect(await code(people.changeProfile(mallory, wanted, ''))).to.equal('validation_failed');
    await people.changeProfile(mallory, { ...wanted, email: claims.email }, '');
    const { token } = await enter('mia-1', mia(['ledger-admins']));
    expect((await people.session(token))!.person_id).not.to.equal(mallory);
  });

  it('lets nobody in by an e-mail that the provider has not verified', async () => {
    const { enter, code } = await given();
    const claims = { ...mia(['bosses']), email: accountOf('Olga').email, email_verified: false };
    expect(await code(enter('mallory', claims))).to.equal('sign_in_failed');
  });

  it('trusts an e-mail of which the provider says nothing only where the operator wants that', async () => {
    const claims: Claims = { name: 'Mia', email: 'mia@example.org', groups: ['developers'] };
    const strict = await given();
    expect(await strict.code(strict.enter('mia-1', claims))).to.equal('sign_in_failed');
    const { code, enter } = await openWith({}, true);
    expect(await code(enter('mia-1', { ...claims, email_verified: false }))).to.equal('sign_in_failed');
    expect(await code(enter('mia-1', claims))).to.equal('no error');
  });

  it('makes no account for a person without a group', async () => {
    const { people, enter, code } = await given();
    expect(await code(enter('mia-1', mia(['others'])))).to.equal('sign_in_failed');
    const { token } = await enter('mia-2', mia(['developers']));
    expect((await people.session(token))!.name).to.equal('Mia');
  });

  it('keeps the last owner, whatever their groups become', async () => {
    const { people, enter, olga } = await given();
    const claims = { name: 'Olga', email: accountOf('Olga').email, email_verified: true, groups: ['bosses'] };
    await enter('olga-1', claims);
    const { token } = await enter('olga-1', { ...claims, groups: ['everybody'] });
    const person = await people.session(token);
    expect(person!.person_id).to.equal(olga.person_id);
    expect(person!.memberships[0]!.role).to.equal('owner');
  });

  it('refuses an answer that another browser brings, or that comes twice', async () => {
    const { people, code } = await given();
    provider().people.set('mia-1', mia(['developers']));
    const one = await people.external!.begin(REDIRECT, '/', null);
    const other = await people.external!.begin(REDIRECT, '/', null);
    const back = await provider().signIn(one.url, 'mia-1');
    expect(await code(people.external!.finish(back, other.cookie, context))).to.equal('sign_in_failed');
    await people.external!.finish(back, one.cookie, context);
    // A cookie works once: the provider is not asked again.
    expect(await code(people.external!.finish(back, one.cookie, context))).to.equal('link_not_valid');
    expect(await code(people.external!.finish(back, other.cookie, context))).to.equal('link_not_valid');
  });

  it('proves a person only by a sign-in that the provider was asked for anew', async () => {
    const { people, enter, code } = await given();
    expect((await people.session((await enter('mia-1', mia(['developers']))).token))!.isProven).to.equal(
      false,
    );
    const { url, cookie } = await people.external!.begin(REDIRECT, '/', null, true);
    expect(new URL(url).searchParams.get('prompt')).to.equal('login');
    const done = await people.external!.finish(await provider().signIn(url, 'mia-1'), cookie, context);
    expect((await people.session('token' in done ? done.token : ''))!.isProven).to.equal(true);
    // A browser that leaves the question out gets an answer that does not say when the person was asked.
    const other = await people.external!.begin(REDIRECT, '/', null, true);
    const quiet = new URL(other.url);
    for (const name of ['prompt', 'max_age']) quiet.searchParams.delete(name);
    const back = await provider().signIn(quiet.href, 'mia-1');
    expect(await code(people.external!.finish(back, other.cookie, context))).to.equal('sign_in_failed');
  });

  it('asks the provider for one address at most 20 times in a quarter of an hour, right answers aside', async () => {
    const { people, code, enter } = await given();
    for (let n = 0; n < 3; n += 1) await enter('mia-1', mia(['developers']));
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 22; n += 1) {
      const { cookie } = await people.external!.begin(REDIRECT, '/', null);
      codes.push(await code(people.external!.finish(new URL(`${REDIRECT}?code=x&state=y`), cookie, context)));
    }
    expect(codes.filter((each) => each === 'sign_in_failed')).to.have.length(20);
    expect(codes.filter((each) => each === 'rate_limited')).to.have.length(2);
  });

  it('refuses a cookie that is too old or made up', async () => {
    const { people, code } = await given();
    provider().people.set('mia-1', mia(['developers']));
    const { url, cookie } = await people.external!.begin(REDIRECT, '/', null);
    const back = await provider().signIn(url, 'mia-1');
    for (const wrong of ['', 'AAAA', cookie.slice(0, -8), cookie.toLowerCase()]) {
      expect(await code(people.external!.finish(back, wrong, context)), wrong).to.equal('link_not_valid');
    }
    stores.clock.forward(10 * 60_000);
    expect(await code(people.external!.finish(back, cookie, context))).to.equal('link_not_valid');
  });

  it('says that the provider is away, and works when it is back', async () => {
    const { code } = await given();
    const away = { issuer: 'http://127.0.0.1:1', clientId: 'x', clientSecret: null };
    const config = { ...away, scope: 'openid', groupsClaim: 'groups', trustEmail: false };
    expect(await code(openIdentityProvider(config).begin(REDIRECT))).to.equal(
      'identity_provider_unavailable',
    );
  });
});

describe('roles by groups', () => {
  it('is the highest role that a group gives', () => {
    expect(roleByGroups(rules, ['everybody', 'ledger-admins', 'developers'])).to.equal('admin');
    expect(roleByGroups(rules, ['strangers'])).to.equal(null);
  });

  it('is read from <group>=<role>, also where a group has an equals sign', () => {
    expect(groupRolesOf('cn=ops,=x=viewer'.replace(',', ';'))).to.deep.equal([
      { group: 'cn=ops;=x', role: 'viewer' },
    ]);
    expect(() => groupRolesOf('admins=king')).to.throw('viewer, member, admin, owner');
    expect(groupRolesOf('')).to.deep.equal([]);
  });
});
