/** Sign-ins by a real identity provider on loopback, whose groups give roles in the operator's team. */
import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { openIdentityProvider } from '../../src/people/oidc/identity-provider.js';
import { groupRolesOf } from '../../src/people/oidc/roles-by-group.js';
import type { Stores } from '../stores.js';
import { context as request, givenOwner, openNode } from './given.js';
import { startProvider, type Claims, type TestProvider } from './provider.js';

/** The request of a browser. */
export const context = { ...request, address: '192.0.2.1' };
export const REDIRECT = 'http://127.0.0.1:9/oidc/callback';
export const rules = groupRolesOf('ledger-admins=admin, developers=member, everybody=viewer, bosses=owner');

export const mia = (groups: string[]): Claims => ({
  name: 'Mia',
  email: 'mia@example.org',
  email_verified: true,
  groups,
});

/** Declares a provider for the tests of the block around it. */
export function externalSignIns(stores: Stores) {
  let provider: TestProvider;
  before(async () => {
    provider = await startProvider(REDIRECT);
  });
  after(() => provider.close());
  beforeEach(() => provider.people.clear());

  async function given() {
    return openWith(await givenOwner(stores), false);
  }

  async function openWith<O extends object>(owner: O, trustEmail: boolean) {
    const { issuer, clientId, clientSecret } = provider;
    const config = {
      issuer,
      clientId,
      clientSecret,
      scope: 'openid email profile',
      groupsClaim: 'groups',
      trustEmail,
    };
    const external = {
      provider: openIdentityProvider(config),
      name: 'single sign-on',
      team: OPERATOR_TEAM,
      roles: rules,
    };
    const { people, directory, commands } = await openNode(stores, { external });
    const comeBack = async (person: string, claims: Claims, invitation: string | null) => {
      provider.people.set(person, claims);
      const { url, cookie } = await people.external!.begin(REDIRECT, '/teams/x', invitation);
      const back = await provider.signIn(url, person);
      return people.external!.finish(back, cookie, context);
    };
    const enter = async (person: string, claims: Claims) => {
      const done = await comeBack(person, claims, null);
      return 'token' in done ? done : expect.fail('there is no session');
    };
    /** Signs in to use an invitation, as a person in no team. */
    const prove = async (person: string, claims: Claims, invitation: string) => {
      const done = await comeBack(person, claims, invitation);
      return 'proof' in done ? done.proof : expect.fail('there is no proof');
    };
    const join = async (person: string, claims: Claims, invitation: string) =>
      people.external!.join(invitation, await prove(person, claims, invitation), context);
    const code = (work: Promise<unknown>) =>
      work.then(
        () => 'no error',
        (error: { code?: string }) => error.code,
      );
    const roleOf = async (name: string) =>
      (await people.members(OPERATOR_TEAM)).find((each) => each.name === name)?.role ?? null;
    return { ...owner, directory, commands, people, enter, prove, join, code, roleOf };
  }

  return { provider: () => provider, given, openWith };
}
