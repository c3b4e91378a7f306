/** Where people act from, sealed with their own keys: in the log for ever, and unreadable once they are forgotten. */
import type { Client, StoredClient } from '../domain/audit/told-events.js';
import { isAppError } from '../errors.js';
import type { Accounts } from './accounts.js';

/** `person`: the one with whose key it is sealed; null for a key without a person. Null for a person who is forgotten, and while the state is away. */
export type SealClient = (person: string | null, client: Client) => Promise<StoredClient | null>;

export type SealedClients = {
  seal: SealClient;
  /** Null where it cannot be read any more. @throws AppError `state_unavailable` */
  open(stored: StoredClient | null): Promise<Client | null>;
};

export function openSealedClients(
  accounts: Pick<Accounts, 'sealFor' | 'unsealFor'>,
  report: (error: unknown) => void,
): SealedClients {
  return {
    async seal(person_id, client) {
      if (person_id === null) return client;
      try {
        const sealed = await accounts.sealFor(person_id, JSON.stringify(client));
        return sealed === null ? null : { person_id, sealed };
      } catch (error) {
        if (!isAppError(error, 'state_unavailable')) throw error;
        // Writes to the log need no state: the act is told without the place.
        report(error);
        return null;
      }
    },
    async open(stored) {
      if (stored === null || 'network' in stored) return stored;
      const text = await accounts.unsealFor(stored.person_id, stored.sealed);
      return text === null ? null : (JSON.parse(text) as Client);
    },
  };
}
