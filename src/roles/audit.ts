/** The audit of the role `api`: who did what, of people, of keys and of builds. */
import { openAudit, type Audit } from '../audit/audit.js';
import { openFirstUses, type FirstUses } from '../audit/first-uses.js';
import { startAuditRounds } from '../audit/rounds.js';
import { openTallies, type Tallies } from '../audit/tallies.js';
import { systemClock as clock } from '../clock.js';
import type { ApiKeys } from '../keys/api-keys.js';
import { openAccounts } from '../people/accounts.js';
import { openSealedClients, type SealedClients } from '../people/sealed-clients.js';
import type { SecretKeys } from '../secret-key/secret-keys.js';
import type { Core } from './core.js';

export type AuditParts = { audit: Audit; tallies: Tallies; firstUses: FirstUses; clients: SealedClients };

export function openAuditOf(
  { log, state, report, onStop }: Core,
  { apiKeys, secretKeys }: { apiKeys: ApiKeys; secretKeys: SecretKeys },
): AuditParts {
  const accounts = openAccounts(state, secretKeys, clock);
  const clients = openSealedClients(accounts, report);
  const audit = openAudit({ log, clock, report });
  const tallies = openTallies({ audit, state, clock, report });
  const firstUses = openFirstUses({
    audit,
    nameFor: accounts.nameFor,
    sealClient: clients.seal,
    clock,
    report,
  });
  const stopRounds = startAuditRounds({
    audit,
    tallies,
    state,
    clock,
    expired: apiKeys.expired,
    teamsOf: async (person) =>
      ((await apiKeys.person(person))?.memberships ?? []).map(({ team_id }) => team_id),
    report,
  });
  onStop(async () => {
    await stopRounds();
    await firstUses.close();
    await tallies.close();
    await audit.close();
  });
  return { audit, tallies, firstUses, clients };
}
