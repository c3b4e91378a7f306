import { expect } from 'chai';
import type { GateChange } from '../../../src/domain/gate/settings.js';
import type { TeamEvent } from '../../../src/domain/events.js';
import { atLeast, keyRoles, team, type KeyRole } from '../../../src/domain/teams/team.js';
import { limits } from '../../../src/limits.js';
import { EARLIER, NOW, specification, type Happened } from '../given.js';
import { keyMaker } from '../key-maker.js';
import { fastest } from '../../processor-time.js';
import { keyOf } from './keys.js';
import { idOf } from '../ids.js';

const given = specification(team);
const team_id = idOf('team');

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
      .when({ type: 'CreateKey', key: keyOf(2), maker: keyMaker('owner'), at: NOW })
      .refused('not_found');
    given()
      .when({ type: 'RevokeKey', key_id: idOf('key', 1), revoker: keyMaker('owner') })
      .refused('not_found');
  });

  it('knows its keys, also revoked ones, with their instants', () => {
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
        { ...keyOf(1), created_at: EARLIER, revoked_at: NOW },
        { ...keyOf(2, 'viewer'), created_at: NOW, revoked_at: null },
      ],
      members: [],
      gate: {},
    });
  });

  it('keeps the settings of the gate that are not named', () => {
    const set = (gate: GateChange) => ({ type: 'ChangeTeam', gate }) as const;
    const any = { type: 'TeamSettingsChanged', data: { gate: { fail_on: 'any' } } } as const;
    given(...created)
      .when(set({ fail_on: 'any' }))
      .happens(any);
    given(...created, any)
      .when(set({ min_tests: 3 }))
      .happens({ type: 'TeamSettingsChanged', data: { gate: { fail_on: 'any', min_tests: 3 } } });
    given(...created, any)
      .when(set(null))
      .happens({ type: 'TeamSettingsChanged', data: { gate: {} } });
    given(...created)
      .when(set({}))
      .nothingHappens();
  });

  describe('when a key is made', () => {
    for (const maker of keyRoles) {
      for (const role of keyRoles) {
        const allowed = keyRoles.indexOf(role) <= keyRoles.indexOf(maker);
        it(`by ${maker}, one of role ${role} is ${allowed ? 'made' : 'refused'}`, () => {
          const when = given(...created).when({
            type: 'CreateKey',
            key: keyOf(2, role),
            maker: keyMaker(maker),
            at: NOW,
          });
          if (allowed) when.happens({ type: 'KeyCreated', data: keyOf(2, role) });
          else when.refused('forbidden');
        });
      }
    }
  });

  describe('with many keys', () => {
    const keys = (from: number, to: number): Happened<TeamEvent>[] =>
      Array.from({ length: to - from + 1 }, (_, n) => ({
        type: 'KeyCreated',
        data: keyOf(from + n, 'member'),
      }));
    const create = (maker: 'owner' | 'operator') =>
      ({
        type: 'CreateKey',
        key: keyOf(5_000, 'owner'),
        maker: maker === 'owner' ? keyMaker(maker) : maker,
        at: NOW,
      }) as const;

    it('takes 1,000 that are not revoked, and no more', () => {
      const full = [...created, ...keys(2, limits.keysPerTeam)];
      given(...full)
        .when(create('owner'))
        .refused('key_limit');
      given(...full, revoked(7))
        .when(create('owner'))
        .happens({ type: 'KeyCreated', data: keyOf(5_000, 'owner') });
    });

    it('still takes one from a person on the machine, who may have to replace a lost one', () =>
      given(...created, ...keys(2, limits.keysPerTeam))
        .when(create('operator'))
        .happens({ type: 'KeyCreated', data: keyOf(5_000, 'owner') }));

    it('shows all that are not revoked, and the newest 1,000 of the others', () => {
      const last = limits.revokedKeysShown + 12;
      const history = keys(2, last).flatMap((made, n) => (n === 4 ? [made] : [made, revoked(n + 2)]));
      const state = given(...created, ...history).state();
      const shown = state.life === 'present' ? state.keys.map(({ key_id }) => key_id) : [];
      const expected = [1, 6, ...Array.from({ length: limits.revokedKeysShown }, (_, n) => n + 13)];
      expect(shown).to.deep.equal(expected.map((n) => idOf('key', n)));
    });

    it('folds any number of revoked ones in a time that grows no faster than their number', function () {
      this.timeout(60_000);
      const fold = (count: number) => {
        const history = keys(2, count).flatMap((made, n) => [made, revoked(n + 2)]);
        const fresh = given(...created, ...history);
        // Once: it takes seconds.
        return fastest(() => fresh.state(), 60_000);
      };
      fold(3_000);
      // Quadratic work would take 16 times as long; the rest is for the collection of garbage.
      expect(fold(24_000)).to.be.below(12 * Math.max(fold(6_000), 5));
    });
  });

  describe('when a key is revoked', () => {
    const revoke = (n: number, revoker: KeyRole = 'owner') =>
      ({ type: 'RevokeKey', key_id: idOf('key', n), revoker: keyMaker(revoker) }) as const;
    const withKey = (n: number, role: KeyRole): Happened<TeamEvent> => ({
      type: 'KeyCreated',
      data: keyOf(n, role),
    });

    for (const revoker of keyRoles) {
      for (const role of keyRoles) {
        const allowed = keyRoles.indexOf(role) <= keyRoles.indexOf(revoker);
        it(`by ${revoker}, one of role ${role} is ${allowed ? 'revoked' : 'left as it is'}`, () => {
          const when = given(...created, withKey(2, role)).when(revoke(2, revoker));
          if (allowed) when.happens({ type: 'KeyRevoked', data: { key_id: idOf('key', 2) } });
          else when.refused('forbidden');
        });
      }
    }

    it('keeps the last key of an owner from every revoker, with any number of keys of other roles', () => {
      given(...created, withKey(2, 'admin'))
        .when(revoke(1))
        .refused('last_owner');
      given(...created, withKey(2, 'owner'), revoked(2))
        .when(revoke(1))
        .refused('last_owner');
      given(...created, withKey(2, 'owner'))
        .when(revoke(1))
        .happens({ type: 'KeyRevoked', data: { key_id: idOf('key', 1) } });
    });

    it('records it once', () => {
      given(...created, withKey(2, 'viewer'))
        .when(revoke(2))
        .happens({ type: 'KeyRevoked', data: { key_id: idOf('key', 2) } });
      given(...created, withKey(2, 'viewer'), revoked(2))
        .when(revoke(2))
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
  it('rise from viewer over member and admin to owner, and a reporter is below them all', () => {
    const allowed = keyRoles.map((role) => keyRoles.filter((needed) => atLeast(role, needed)));
    expect(allowed).to.deep.equal([
      ['reporter'],
      ['reporter', 'viewer'],
      ['reporter', 'viewer', 'member'],
      ['reporter', 'viewer', 'member', 'admin'],
      ['reporter', 'viewer', 'member', 'admin', 'owner'],
    ]);
  });
});
