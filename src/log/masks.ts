/**
 * The masks of redactions: what every read of the log hides from then on. They are in State, in one entry that all
 * processes read again after a moment, so that a redaction is answered when all of them hide it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Position } from '../domain/event.js';
import type { Rule } from '../domain/redaction/mask-event.js';
import { fail } from '../errors.js';
import type { State } from '../ports/state.js';
import type { Sealer } from '../secret-key/secret-keys.js';

/**
 * `id`: of the redaction. `sealed`: the text; a leaked secret must not stand in another store once more. `hides`: where; while its
 * places are searched for, in answers alone. Without it in events.
 */
export type Mask = { id: string; team: string; up_to: Position } & (
  | { run: string }
  | { sealed: string; project: string | null; hides?: 'answers' | 'answers and events' }
  | { purged: string }
  | { fields: readonly (readonly [id: string, names: readonly string[]])[] }
);

/** `generation`: another one where something was forgotten since. What was read before must not be shown any more. */
export type Hidden = {
  generation: number;
  all: readonly Rule[];
  of(team: string): readonly Rule[];
  /** The runs and projects whose purge is under way, of all teams. */
  purged: ReadonlySet<string>;
  /** The texts of a team whose places are not all masked yet: no answer says them. */
  unmasked(team: string): readonly string[];
};

export type Masks = {
  /**
   * At most `FRESH_MS` old: without a promise while it is. While State is away, what was known before: a write goes on then, and
   * nobody can redact. @throws AppError `state_unavailable` where nothing is known yet
   */
  current(): Hidden | Promise<Hidden>;
  add(mask: Mask): Promise<void>;
  remove(id: string): Promise<void>;
  /** Says that something was forgotten, and returns when every process knows. */
  spread(): Promise<void>;
};

export type StoredMasks = { generation: number; masks: Mask[] };

export const KIND = 'redaction-masks';
const KEY = 'all';
const FRESH_MS = 250;
/** Longer than a process may show what it read before. */
const SPREAD_MS = 2 * FRESH_MS;
const TRIES = 20;

const NONE: readonly Rule[] = [];
const NO_TEXTS: readonly string[] = [];
/** Behind every position: nothing comes anew in what is purged. */
export const FOR_EVER: Position = '~';

export function openMasks(state: Pick<State, 'get' | 'put'>, sealer: Sealer): Masks {
  let known: { hidden: Hidden; version: number; at: number } | null = null;
  let loading: Promise<Hidden> | null = null;
  let isAway = false;

  async function load(): Promise<Hidden> {
    const at = performance.now();
    let entry;
    try {
      entry = await state.get<StoredMasks>(KIND, KEY);
      isAway = false;
    } catch (error) {
      isAway = true;
      if (known === null) throw error;
      known = { ...known, at: performance.now() };
      return known.hidden;
    }
    const version = entry?.version ?? 0;
    const hidden = known?.version === version ? known.hidden : hiddenBy(entry?.value, sealer);
    known = { hidden, version, at };
    return hidden;
  }

  const reload = () => (loading ??= load().finally(() => (loading = null)));

  async function change(masksAfter: (masks: Mask[]) => Mask[]): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const entry = await state.get<StoredMasks>(KIND, KEY);
      const { generation = 0, masks = [] } = entry?.value ?? {};
      const value: StoredMasks = { generation: generation + 1, masks: masksAfter(masks) };
      if ((await state.put(KIND, KEY, value, { expected: entry?.version ?? 'absent' })) !== null) return;
    }
    fail('write_conflict', 'Other requests redact, too. Try again.', { retryAfter: 1 });
  }

  return {
    current() {
      if (known === null) return reload();
      if (performance.now() - known.at < FRESH_MS) return known.hidden;
      const next = reload();
      // Each look at a State that is away takes seconds.
      return isAway ? known.hidden : next;
    },
    add: (mask) => change((masks) => [...masks.filter(({ id }) => id !== mask.id), mask]),
    remove: (id) => change((masks) => masks.filter((mask) => mask.id !== id)),
    async spread() {
      await change((masks) => masks);
      await wait(SPREAD_MS);
      await reload();
    },
  };
}

function hiddenBy(stored: StoredMasks | undefined, sealer: Sealer): Hidden {
  const { generation = 0, masks = [] } = stored ?? {};
  const byTeam = new Map<string, Rule[]>();
  const purged = new Set(masks.flatMap((mask) => ('purged' in mask ? [mask.purged] : [])));
  // One rule for all of them, however many a log on a server has in the end.
  const purge: Rule = { up_to: FOR_EVER, purged };
  const texts = new Map<string, string[]>();
  for (const mask of masks) {
    if ('sealed' in mask && mask.hides !== undefined) {
      texts.set(mask.team, [...(texts.get(mask.team) ?? []), sealer.unseal(mask.team, mask.sealed)]);
      if (mask.hides === 'answers') continue;
    }
    const rule = 'purged' in mask ? purge : ruleOf(mask, sealer);
    const own = byTeam.get(mask.team) ?? [];
    if (!own.includes(rule)) byTeam.set(mask.team, [...own, rule]);
  }
  const all = [...new Set([...byTeam.values()].flat())];
  return {
    generation,
    all,
    of: (team) => byTeam.get(team) ?? NONE,
    purged,
    unmasked: (team) => texts.get(team) ?? NO_TEXTS,
  };
}

/** @throws Error for a text that was sealed by a key that is not given */
export function ruleOf(mask: Mask, sealer: Pick<Sealer, 'unseal'>): Rule {
  const { up_to } = mask;
  if ('run' in mask) return { up_to, run: mask.run };
  if ('fields' in mask)
    return { up_to, fields: new Map(mask.fields.map(([id, names]) => [id, new Set(names)])) };
  if ('purged' in mask) return { up_to, purged: new Set([mask.purged]) };
  return { up_to, text: sealer.unseal(mask.team, mask.sealed), project: mask.project };
}
