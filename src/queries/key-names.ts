/** The names of API keys, for people. They are read from the log: the views have none. */
import type { Ledger } from '../commands/ledger.js';
import { teamStream } from '../commands/teams.js';
import { team } from '../domain/team.js';

/** Returns the name of a key of the team, null for a key that is not known any more. */
export async function keyNames(ledger: Ledger, teamId: string): Promise<(keyId: string) => string | null> {
  const state = await ledger.load(team, teamStream(teamId));
  const keys = state.life === 'present' ? state.keys : [];
  return (keyId) => keys.find(({ key_id }) => key_id === keyId)?.name ?? null;
}
