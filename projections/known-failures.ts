/** The documents about known failures. The fold of the tests' histories (`test-histories.ts`) writes them. */
import type { Instant } from '../src/domain/event.js';
import { collection } from '../src/domain/projection.js';

/** In the document of the test. */
export type KnownFailureOfTest = {
  reason: string;
  branch: string | null;
  expires_at: Instant;
  /** The id of the key that set it. */
  actor: string;
  at: Instant;
  /** The number of results that were known through it. */
  hidden_results: number;
};

/** By test id: a known failure in force, for the look-up of those whose time is over and of those of a project. */
export type KnownFailureDocument = {
  team_id: string;
  project_id: string;
  test_id: string;
  in_force: true;
  expires_at: Instant;
};

export const knownFailureDocuments = collection<KnownFailureDocument>({
  name: 'known_failures',
  ids: 'test',
  indexes: [
    ['in_force', 'expires_at'],
    ['project_id', 'expires_at'],
  ],
  totals: [['project_id']],
});

/** With one more result that is known through it. */
export function withHidden(known: KnownFailureOfTest): KnownFailureOfTest {
  return { ...known, hidden_results: known.hidden_results + 1 };
}
