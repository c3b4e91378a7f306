/** The people of the role `api`, with the identity provider where one is set up. */
import type { Admission } from '../admission/admission.js';
import { systemClock as clock } from '../clock.js';
import { OPERATOR_TEAM } from '../commands/teams.js';
import type { OidcConfig } from '../config.js';
import { isAppError } from '../errors.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { ExternalSignInOptions } from '../people/oidc/external-sign-in.js';
import { openPeople } from '../people/open-people.js';
import type { People } from '../people/people.js';
import type { SecretKeys } from '../secret-key/secret-keys.js';
import type { AuditParts } from './audit.js';
import type { Core } from './core.js';

type Parts = { directory: ApiKeys; secretKeys: SecretKeys; admission: Admission; told: AuditParts };

export async function openPeopleOf(core: Core, { told, ...parts }: Parts): Promise<People> {
  const { config, notice, points } = core;
  const external = config.oidc && (await externalSignIn(config.oidc, notice));
  const sessionMax = { password: config.sessionMaxMs, provider: config.oidcSessionMaxMs };
  return openPeople({
    ...core,
    ...parts,
    audit: { tell: told.audit.tell, count: told.tallies.count },
    sealClient: told.clients.seal,
    clock,
    external,
    sessionMax,
    signInPoints: points('sign-in'),
  });
}

/** The library is loaded only where a provider is set up. */
async function externalSignIn(
  oidc: OidcConfig,
  notice: (text: string) => void,
): Promise<ExternalSignInOptions> {
  const { openIdentityProvider } = await import('../people/oidc/identity-provider.js');
  const { name, team, roles } = oidc;
  return { provider: openIdentityProvider(oidc, notice), name, team: team ?? OPERATOR_TEAM, roles };
}

/**
 * The token of the link that makes the first owner. Null where the operator's team has an owner, and where the state is
 * away: the server then starts without a link, because writes need no state. The next start makes one.
 */
export async function newFirstStart(people: People, report: Core['report']): Promise<string | null> {
  try {
    return await people.newFirstStart();
  } catch (error) {
    if (!isAppError(error, 'state_unavailable')) throw error;
    const text = 'no link for a first owner was made: start again when the state answers';
    report(new Error(text, { cause: error }));
    return null;
  }
}
