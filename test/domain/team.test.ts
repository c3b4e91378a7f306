import { expect } from 'chai';
import type { EventData, TeamEvent } from '../../src/domain/events.js';
import { atLeast, keyRoles, team, type KeyRole } from '../../src/domain/team.js';
import { EARLIER, NOW, specification, type Happened } from './given.js';
import { idOf } from './ids.js';

const given = specification(team);
const team_id = idOf('team');

const keyOf = (n: number, role: KeyRole = 'owner'): EventData['KeyCreated'] => ({
  key_id: idOf('key', n),
  name: `key ${n}`,
  role,
  hash: String(n).repeat(64),
  prefix: 'tl_abcde',
  person_id: null,
  created_by: null,
});
const created: Happened<TeamEvent>[] = [
  { type: 'TeamCreated', data: { team_id, name: 'Shop' } },
  { type: 'KeyCreated', data: keyOf(1) },
];
const revoked = (n: number): Happened<TeamEvent> => ({
  type: 'KeyRevoked',
  data: { key_id: idOf('key', n) },
});

describe('a team', () => {
  const create = { type: 'CreateTeam', team_id, name: 'Shop', firstKey: keyOf(1) } as const;

  it('begins together with its first key, so that no team has none', () => {
    given()
      .when(create)
      .happens(
        { type: 'TeamCreated', data: { team_id, name: 'Shop' } },
        { type: 'KeyCreated', data: keyOf(1) },
      );
  });

  it('is refused if it exists already', () =>
    given(...created)
      .when(create)
      .refused('write_conflict'));

  it('takes no command before it is created', () => {
    given()
      .when({ type: 'CreateKey', key: keyOf(2), maker: 'owner' })
      .refused('not_found');
    given()
      .when({ type: 'RevokeKey', key_id: idOf('key', 1) })
      .refused('not_found');
  });

  it('knows its keys, also revoked ones, with their instants', () => {
    const { person_id: _, ...first } = keyOf(1);
    const { person_id: __, ...second } = keyOf(2, 'viewer');
    const history: Happened<TeamEvent>[] = [
      ...created,
      { type: 'KeyCreated', data: keyOf(2, 'viewer'), at: NOW },
      { ...revoked(1), at: NOW },
    ];
    expect(given(...history).state()).to.deep.equal({
      life: 'present',
      team_id,
      name: 'Shop',
      created_at: EARLIER,
      keys: [
        { ...first, created_at: EARLIER, revoked_at: NOW },
        { ...second, created_at: NOW, revoked_at: null },
      ],
    });
  });

  describe('when a key is made', () => {
    for (const maker of keyRoles) {
      for (const role of keyRoles) {
        const allowed = keyRoles.indexOf(role) <= keyRoles.indexOf(maker);
        it(`by ${maker}, one of role ${role} is ${allowed ? 'made' : 'refused'}`, () => {
          const when = given(...created).when({ type: 'CreateKey', key: keyOf(2, role), maker });
          if (allowed) when.happens({ type: 'KeyCreated', data: keyOf(2, role) });
          else when.refused('forbidden');
        });
      }
    }
  });

  describe('when a key is revoked', () => {
    const revoke = (n: number) => ({ type: 'RevokeKey', key_id: idOf('key', n) }) as const;

    it('records it once', () => {
      given(...created)
        .when(revoke(1))
        .happens({ type: 'KeyRevoked', data: { key_id: idOf('key', 1) } });
      given(...created, revoked(1))
        .when(revoke(1))
        .nothingHappens();
    });

    it('refuses a key that it does not have', () =>
      given(...created)
        .when(revoke(2))
        .refused('not_found'));

    it('leaves the keys that the revoked key created', () => {
      const made = { ...keyOf(2), created_by: idOf('key', 1) };
      const state = given(...created, { type: 'KeyCreated', data: made }, revoked(1)).state();
      expect(state.life === 'present' && state.keys.map((key) => key.revoked_at)).to.deep.equal([
        EARLIER,
        null,
      ]);
    });
  });
});

describe('roles', () => {
  it('rise from viewer over member and admin to owner', () => {
    const allowed = keyRoles.map((role) => keyRoles.filter((needed) => atLeast(role, needed)));
    expect(allowed).to.deep.equal([
      ['viewer'],
      ['viewer', 'member'],
      ['viewer', 'member', 'admin'],
      ['viewer', 'member', 'admin', 'owner'],
    ]);
  });
});
