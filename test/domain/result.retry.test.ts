import { expect } from 'chai';
import { EARLIER, NOW } from './given.js';
import { idOf } from './ids.js';
import { claimed, created, deleted, given, ids, voided } from './result.facts.js';

const claim = (n: number, lapsed: number | null = null) =>
  ({
    type: 'ClaimRetry',
    retry_id: idOf('result', n),
    lapsed: lapsed === null ? null : idOf('result', lapsed),
  }) as const;
const claimedBy = (n: number) =>
  ({ type: 'ResultRetryClaimed', data: { ...ids, retry_id: idOf('result', n) } }) as const;

describe('the claim to retry a result', () => {
  it('is given to the first that asks', () => given(created()).when(claim(2)).happens(claimedBy(2)));

  it('is kept with when it was given, and changes nothing else', () =>
    given(created())
      .when(claim(2))
      .changes({ claim: { by: idOf('result', 2), at: NOW } }));

  it('is refused to all others, and they are told who has it', () => {
    given(created(), claimed(2)).when(claim(3)).refused('already_superseded');
    expect(() => given(created(), claimed(2)).when(claim(3)).nothingHappens()).to.throw(idOf('result', 2));
  });

  it('is given once: asking again records nothing', () =>
    given(created(), claimed(2)).when(claim(2)).nothingHappens());

  it('goes to another where it has lapsed', () => {
    given(created(), claimed(2)).when(claim(3, 2)).happens(claimedBy(3));
    given(created(), claimed(2))
      .when(claim(3, 2))
      .changes({ claim: { by: idOf('result', 3), at: NOW } });
  });

  it('is refused where another lapsed than the one that holds it', () =>
    given(created(), claimed(2), claimed(3)).when(claim(4, 2)).refused('already_superseded'));

  it('outlives every change of the result', () => {
    const start = { type: 'StartResult', at: NOW } as const;
    given(created(), claimed(2)).when(start).changes({ status: 'Running', started_at: NOW, updated_at: NOW });
  });
});

describe('an id that a retry was to have', () => {
  const voiding = { type: 'VoidResult', result_id: ids.result_id } as const;

  it('is voided where nothing was recorded under it', () => {
    given()
      .when(voiding)
      .happens({ type: 'ResultVoided', data: { result_id: ids.result_id } });
    expect(given(voided).state()).to.deep.equal({ life: 'gone' });
  });

  it('is left alone where something was, or where it is void already', () => {
    given(created()).when(voiding).nothingHappens();
    given(created(), deleted).when(voiding).nothingHappens();
    given(voided).when(voiding).nothingHappens();
  });
});

describe('a deleted result', () => {
  it('takes no late fact of itself', () => {
    expect(given(created(), deleted, claimed(2, EARLIER)).state()).to.deep.equal({ life: 'gone' });
  });
});
