import { expect } from 'chai';
import { addMilliseconds } from '../../src/clock.js';
import type { KnownFailureEvent } from '../../src/domain/events.js';
import { covers, knownFailure } from '../../src/domain/known-failure.js';
import { limits } from '../../src/limits.js';
import { EARLIER, NOW, specification, type Happened } from './given.js';
import { idOf } from './ids.js';

const given = specification(knownFailure);
const test = { test_id: idOf('test'), project_id: idOf('project'), test_name: 'pays' };
const TOMORROW = addMilliseconds(NOW, 86_400_000);
const data = { ...test, reason: 'The bank is down.', branch: null, expires_at: TOMORROW };
const wasSet: Happened<KnownFailureEvent> = { type: 'KnownFailureSet', data };
const hasEnded = (ended: 'expired' | 'requested') =>
  ({ type: 'KnownFailureEnded', data: { ...test, ended } }) as const;
const set = (more: Partial<typeof data> = {}) =>
  ({ type: 'SetKnownFailure', at: NOW, data: { ...data, ...more } }) as const;
const end = { type: 'EndKnownFailure', project_id: test.project_id } as const;
const expireAt = (at: string) => ({ type: 'ExpireKnownFailure', at }) as const;

describe('a known failure', () => {
  it('is set with its reason, its branch and its end', () => {
    given().when(set()).happens({ type: 'KnownFailureSet', data });
    given()
      .when(set())
      .changes({ life: 'present', ...data, set_at: NOW });
  });

  it('is replaced by another one, and left alone by the same one', () => {
    for (const more of [
      { reason: 'Other' },
      { branch: 'main' as never },
      { expires_at: addMilliseconds(NOW, 1) },
    ]) {
      given(wasSet)
        .when(set(more))
        .happens({ type: 'KnownFailureSet', data: { ...data, ...more } });
    }
    given(wasSet).when(set()).nothingHappens();
    expect(given(wasSet).state()).to.include({ set_at: EARLIER });
  });

  it('ends in the future, within 90 days', () => {
    const latest = addMilliseconds(NOW, limits.knownFailureMs);
    given()
      .when(set({ expires_at: NOW }))
      .refused('validation_failed', '/expires_at too_early');
    given()
      .when(set({ expires_at: addMilliseconds(NOW, 1) }))
      .changes({ life: 'present', ...data, set_at: NOW, expires_at: addMilliseconds(NOW, 1) });
    given()
      .when(set({ expires_at: latest }))
      .changes({ life: 'present', ...data, set_at: NOW, expires_at: latest });
    given()
      .when(set({ expires_at: addMilliseconds(latest, 1) }))
      .refused('validation_failed', '/expires_at too_late');
  });

  it('ends on request, in its own project only, and can be set again', () => {
    given(wasSet).when(end).happens(hasEnded('requested'));
    given(wasSet)
      .when({ ...end, project_id: idOf('project', 2) })
      .refused('not_found');
    given().when(end).refused('not_found');
    given(wasSet, hasEnded('requested')).when(end).refused('not_found');
    given(wasSet, hasEnded('expired')).when(set()).happens({ type: 'KnownFailureSet', data });
  });

  it('expires once, not a millisecond before its end', () => {
    given(wasSet)
      .when(expireAt(addMilliseconds(TOMORROW, -1)))
      .nothingHappens();
    given(wasSet).when(expireAt(TOMORROW)).happens(hasEnded('expired'));
    given(wasSet, hasEnded('expired')).when(expireAt(TOMORROW)).nothingHappens();
    given(wasSet, hasEnded('requested')).when(expireAt(TOMORROW)).nothingHappens();
    given().when(expireAt(TOMORROW)).nothingHappens();
  });

  it('can be ended when its stream is full, and not set again', () => {
    const isExempt = knownFailure.most!.isExempt;
    expect(
      [set(), end, expireAt(NOW)].map((command) => isExempt(command, knownFailure.initial)),
    ).to.deep.equal([false, true, true]);
  });

  it('covers failures before its end, on its branch or on all, in its environment or in all', () => {
    const onAll = { ...data, environment: null };
    const [onMain, onLinux] = [
      { ...onAll, branch: 'main' },
      { ...onAll, environment: 'os=linux' },
    ];
    for (const branch of ['main', 'side', '', null]) {
      for (const environment of ['', 'os=linux', 'os=mac']) {
        const failure = { branch, environment, at: NOW };
        expect(covers(onAll, failure)).to.equal(true);
        expect(covers(onMain, failure)).to.equal(branch === 'main');
        expect(covers(onLinux, failure)).to.equal(environment === 'os=linux');
      }
    }
    const failure = { branch: null, environment: '' };
    expect(covers(onAll, { ...failure, at: addMilliseconds(TOMORROW, -1) })).to.equal(true);
    expect(covers(onAll, { ...failure, at: TOMORROW })).to.equal(false);
  });
});
