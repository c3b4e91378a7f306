/**
 * The keys that builds get for their tokens. They are in State, with an end, and not in the log: a team has as many of them
 * as jobs. A key is good as long as its trust is, which is looked up at each use: on every node, it ends with the trust.
 */
import { addMilliseconds, instant, type Clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { hashOfKey, newApiKey } from '../domain/teams/api-key.js';
import type { Instant } from '../domain/event.js';
import { project } from '../domain/project.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { fail } from '../errors.js';
import type { State } from '../ports/state.js';
import type { ApiKeys, KeyEntry } from '../keys/api-keys.js';

/** `name`: that of the build. */
export type BuildKey = {
  key_id: string;
  name: string;
  team_id: string;
  team_name: string;
  project_id: string;
  trust_id: string;
  expires_at: Instant;
};

export type BuildKeys = {
  /** Returns the key itself. */
  make(key: BuildKey): Promise<string>;
  /** The key with this SHA-256 (hex); null for an unknown one. @throws AppError `key_expired` */
  find(hash: string): Promise<KeyEntry | null>;
  /** Ends a key by its SHA-256 (hex). */
  end(hash: string): Promise<void>;
};

const KIND = 'build-key';
/** For this time an expired key is told from one that never was. */
const EXPIRED_KNOWN_MS = 3_600_000;

type Parts = { state: State; commands: Pick<CommandHandler, 'load'>; clock: Clock };

export function openBuildKeys({ state, commands, clock }: Parts): BuildKeys {
  async function isTrusted({ team_id, project_id, trust_id }: BuildKey): Promise<boolean> {
    const loaded = await commands.load(project, streamNameOf('project', team_id, project_id));
    return loaded.life === 'present' && loaded.trusts.some((each) => each.trust_id === trust_id);
  }

  return {
    async make(made) {
      const key = newApiKey();
      const expiresAt = addMilliseconds(made.expires_at, EXPIRED_KNOWN_MS);
      await state.put(KIND, hashOfKey(key), made, { expected: 'absent', expiresAt });
      return key;
    },
    async find(hash) {
      const made = (await state.get<BuildKey>(KIND, hash))?.value;
      if (made === undefined || !(await isTrusted(made))) return null;
      const { trust_id: _, project_id, name, ...key } = made;
      if (made.expires_at <= instant(clock))
        fail('key_expired', `The API key has expired at ${made.expires_at}.`);
      return {
        ...key,
        name: `build ${name}`,
        role: 'reporter',
        person_role: null,
        person_id: null,
        project_ids: [project_id],
        build: { hash, actor: `build ${name}` },
      };
    },
    end: async (hash) => void (await state.remove(KIND, hash, 'any')),
  };
}

/** Finds the keys of builds, too. A key of a team that is known needs no look at State. */
export function withBuildKeys(keys: ApiKeys, builds: Pick<BuildKeys, 'find'>): ApiKeys {
  return {
    ...keys,
    find: async (hash) => keys.known(hash) ?? (await builds.find(hash)) ?? (await keys.find(hash)),
  };
}
