import { expect } from 'chai';
import fc from 'fast-check';
import {
  atLeast,
  keyRoles,
  memberRoles,
  type KeyRole,
  type MemberRole,
} from '../../src/domain/teams/roles.js';
import type { Fact, LedgerEvent, TeamEvent } from '../../src/domain/events.js';
import { openKeyIndex, type KeyEntry, type KeyIndex } from '../../src/keys/key-index.js';

const [teams, persons, keys] = [['team_a', 'team_b'], ['person_1', 'person_2', 'person_3'], 8];

const role = fc.constantFrom(...keyRoles);
const memberRole = fc.constantFrom(...memberRoles);
const team = fc.constantFrom(...teams);
const person = fc.constantFrom(...persons);
const key = fc.nat({ max: keys - 1 });
const step = fc.oneof(
  fc.record({ type: fc.constant('create' as const), team, key, role, person: fc.option(person) }),
  fc.record({ type: fc.constant('revoke' as const), key }),
  fc.record({ type: fc.constant('take' as const), key, person }),
  fc.record({ type: fc.constant('set' as const), team, person, role: memberRole }),
  fc.record({ type: fc.constant('remove' as const), team, person }),
  fc.record({ type: fc.constant('snapshot' as const) }),
);
type Step = (typeof step extends fc.Arbitrary<infer T> ? T : never) & { type: string };

/** The plainest way to say what a key may do: look at everything that has happened. */
type Model = {
  keys: Map<number, { team: string; role: KeyRole; person: string | null }>;
  used: Set<number>;
  roles: Map<string, MemberRole>;
};

function roleIn({ keys, roles }: Model, key: number): KeyRole | null {
  const made = keys.get(key);
  if (made === undefined) return null;
  if (made.person === null) return made.role;
  const present = roles.get(`${made.team} ${made.person}`);
  if (present === undefined) return null;
  return atLeast(made.role, present) ? present : made.role;
}

/** Takes a step in the model, and returns what is recorded. */
function take(step: Step, model: Model): { team: string; fact: Fact<TeamEvent> } | null {
  switch (step.type) {
    case 'create': {
      // A key has one id for ever.
      if (model.used.has(step.key)) return null;
      model.used.add(step.key);
      model.keys.set(step.key, step);
      const [key_id, hash] = [`key_${step.key}`, `hash ${step.key}`];
      const data = { key_id, hash, name: 'CI', role: step.role, prefix: 'tl_abcde', created_by: null };
      const kept = { ...data, expires_at: null, project_ids: null, person_id: step.person };
      return { team: step.team, fact: { type: 'KeyCreated', data: kept } };
    }
    case 'revoke': {
      const made = model.keys.get(step.key);
      model.keys.delete(step.key);
      const fact = { type: 'KeyRevoked', data: { key_id: `key_${step.key}` } } as const;
      return made === undefined ? null : { team: made.team, fact };
    }
    case 'take': {
      const made = model.keys.get(step.key);
      if (made === undefined) return null;
      model.keys.set(step.key, { ...made, person: step.person });
      const data = { key_id: `key_${step.key}`, person_id: step.person };
      return { team: made.team, fact: { type: 'KeyTakenOver', data } };
    }
    case 'set': {
      const { person: person_id, role, team } = step;
      const isMember = model.roles.has(`${team} ${person_id}`);
      model.roles.set(`${team} ${person_id}`, role);
      const fact: Fact<TeamEvent> = isMember
        ? { type: 'MemberRoleChanged', data: { person_id, role } }
        : { type: 'MemberAdded', data: { person_id, role, sealed: '' } };
      return { team, fact };
    }
    case 'remove': {
      const { person: person_id, team } = step;
      if (!model.roles.delete(`${team} ${person_id}`)) return null;
      return { team, fact: { type: 'MemberRemoved', data: { person_id } } };
    }
    case 'snapshot':
      return null;
  }
}

const numbers = Array.from({ length: keys }, (_, n) => n);
const entriesOf = (index: KeyIndex) => numbers.map((n) => index.get(`hash ${n}`));

/** A reporter also has no right that its person has not. */
function rightsOf(entry: KeyEntry | null): string {
  return entry?.role === 'reporter' ? `reporter of ${entry.person_role}` : String(entry?.role);
}

describe('the role of a key', () => {
  it('is the lower of its own and its person’s present one, after any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model: Model = { keys: new Map(), used: new Set(), roles: new Map() };
        let index = openKeyIndex();
        for (const each of steps) {
          const before = entriesOf(index);
          const taken = take(each, model);
          if (taken !== null) {
            index.apply({ ...taken.fact, meta: { team_id: taken.team } } as unknown as LedgerEvent);
          }
          const after = entriesOf(index);
          expect(after.map((entry) => entry?.role ?? null)).to.deep.equal(
            numbers.map((n) => roleIn(model, n)),
          );
          // A live stream ends when the entry of its key is another object: so with every change, and with no other.
          if (each.type !== 'take')
            expect(after.map((entry, n) => entry === before[n])).to.deep.equal(
              after.map((entry, n) => rightsOf(entry) === rightsOf(before[n] ?? null)),
            );
          for (const person of persons) {
            const memberships = (index.person(person)?.memberships ?? []).map(
              ({ team_id, role }) => `${team_id} ${role}`,
            );
            const expected = teams.flatMap((name) => {
              const present = model.roles.get(`${name} ${person}`);
              return present === undefined ? [] : [`${name} ${present}`];
            });
            expect(memberships.sort()).to.deep.equal(expected);
          }
          if (each.type === 'snapshot') {
            const restored = openKeyIndex();
            restored.restore(index.content());
            index = restored;
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});
