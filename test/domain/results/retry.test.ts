import { expect } from 'chai';
import { EARLIER, NOW } from '../given.js';
import { idOf } from '../ids.js';
import { claimed, created, deleted, given, ids, voided } from './facts.js';

const claim = (n: number, lapsed: number | null = null) =>
  ({
    type: 'ClaimRetry',
    retry_id: idOf('result', n),
    lapsed: lapsed === null ? null : idOf('result', lapsed),
  }) as const;
const claimedBy = (n: number) =>
  ({ type: 'ResultRetryClaimed', data: { ...ids, retry_id: idOf('result', n) } }) as const;

describe('the claim to retry a result', () => {
  it('is given to the first retry', () => given(created()).when(claim(2)).happens(claimedBy(2)));

  it('is stored with its instant, and changes nothing else', () =>
    given(created())
      .when(claim(2))
      .changes({ claim: { by: idOf('result', 2), at: NOW } }));

  it('is refused to all other retries, with the id of the first one', () => {
    given(created(), claimed(2)).when(claim(3)).refused('already_superseded');
    expect(() => given(created(), claimed(2)).when(claim(3)).nothingHappens()).to.throw(idOf('result', 2));
  });

  it('is recorded once: the same claim again records nothing', () =>
    given(created(), claimed(2)).when(claim(2)).nothingHappens());

  it('goes to another retry if it has lapsed', () => {
    given(created(), claimed(2)).when(claim(3, 2)).happens(claimedBy(3));
    given(created(), claimed(2))
      .when(claim(3, 2))
      .changes({ claim: { by: idOf('result', 3), at: NOW } });
  });

  it('is refused if another claim than the present one has lapsed', () =>
    given(created(), claimed(2), claimed(3)).when(claim(4, 2)).refused('already_superseded'));

  it('outlives every change of the result', () => {
    const start = { type: 'StartResult', at: NOW } as const;
    given(created(), claimed(2)).when(start).changes({ status: 'Running', started_at: NOW, updated_at: NOW });
  });
});

describe('the id of a retry that was not recorded', () => {
  const voiding = { type: 'VoidResult', result_id: ids.result_id } as const;

  it('is voided if nothing is recorded under it', () => {
    given()
      .when(voiding)
      .happens({ type: 'ResultVoided', data: { result_id: ids.result_id } });
    expect(given(voided).state()).to.deep.equal({ life: 'gone' });
  });

  it('is left alone if a result is recorded under it, or if it is void already', () => {
    given(created()).when(voiding).nothingHappens();
    given(created(), deleted).when(voiding).nothingHappens();
    given(voided).when(voiding).nothingHappens();
  });
});

describe('a deleted result', () => {
  it('ignores late events of its own', () => {
    expect(given(created(), deleted, claimed(2, EARLIER)).state()).to.deep.equal({ life: 'gone' });
  });
});
