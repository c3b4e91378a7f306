import { expect } from 'chai';
import * as fc from 'fast-check';
import { isThere, type Artifact, type NewArtifact } from '../../src/domain/artifact/artifact.js';
import { artifactParent } from '../../src/domain/artifact/artifact-parent.js';
import type { EventData, ResultEvent } from '../../src/domain/events.js';
import { result, type Result, type ResultCommand } from '../../src/domain/results/result.js';
import { isAppError } from '../../src/errors.js';
import { EARLIER, NOW, specification, type Happened } from './given.js';
import { idOf } from './ids.js';
import { created, deleted, given, ids, newResult, started, turned } from './results/facts.js';
import { limits } from '../../src/limits.js';

type Fact = Happened<ResultEvent>;

const UPLOAD_ENDS = '2026-11-21T13:00:00.000Z';
const ENDS = '2026-12-21T12:00:00.000Z';
const DAYS_7 = 7 * 86_400_000;
const before = (instant: string) => new Date(Date.parse(instant) - 1).toISOString();

const newArtifact = (n = 1, more: Partial<NewArtifact> = {}): NewArtifact => ({
  artifact_id: idOf('artifact', n),
  label: 'The screen',
  kind: 'Image',
  content_type: 'image/png',
  size_bytes: 7,
  test_step: null,
  metadata: null,
  expires_at: ENDS,
  upload_expires_at: UPLOAD_ENDS,
  ...more,
});
const announced = (n = 1, more: Partial<NewArtifact> = {}): Fact => ({
  type: 'ArtifactCreated',
  data: { ...ids, ...newArtifact(n, more) },
});
const confirmed = (n = 1, stored_as = 'v1'): Fact => ({
  type: 'ArtifactConfirmed',
  data: { ...ids, artifact_id: idOf('artifact', n), stored_as },
});
const gone = (reason: EventData['ArtifactDeleted']['reason'], confirmed: boolean, n = 1) =>
  ({
    type: 'ArtifactDeleted',
    data: { ...ids, artifact_id: idOf('artifact', n), reason, confirmed, size_bytes: 7 },
  }) as const;

const create = (n = 1, at = NOW, more: Partial<NewArtifact> = {}): ResultCommand => ({
  type: 'CreateArtifacts',
  at,
  maxResultAgeMs: DAYS_7,
  artifacts: [newArtifact(n, more)],
});
const on = <T extends 'DeleteArtifact' | 'ExpireArtifact'>(type: T, at = NOW, n = 1) => ({
  type,
  at,
  artifact_id: idOf('artifact', n),
});
const confirm = (at = NOW, stored_as = 'v1', n = 1): ResultCommand => ({
  type: 'ConfirmArtifacts',
  at,
  stored: [{ artifact_id: idOf('artifact', n), stored_as }],
});
const many = (count: number, each: (n: number) => Fact[]) =>
  Array.from({ length: count }, (_, n) => each(n + 1)).flat();

describe('an artifact', () => {
  it('is created in the stream of its result, and nothing else of the result changes', () => {
    given(created())
      .when(create())
      .happens({ type: 'ArtifactCreated', data: { ...ids, ...newArtifact() } });
    const artifact: Artifact = { ...newArtifact(), created_at: NOW, stored_as: null };
    given(created())
      .when(create())
      .changes({ artifacts: [artifact] });
  });

  it('is confirmed once, with the stored version of its bytes', () => {
    given(created(), announced())
      .when(confirm())
      .happens({
        type: 'ArtifactConfirmed',
        data: { ...ids, artifact_id: idOf('artifact'), stored_as: 'v1' },
      });
    given(created(), announced(), confirmed()).when(confirm(NOW, 'v2')).nothingHappens();
    given(created(), announced(), confirmed()).when(confirm(UPLOAD_ENDS)).nothingHappens();
  });

  it('expires at the end of its upload time, to the millisecond, if it is not confirmed', () => {
    for (const command of [confirm(UPLOAD_ENDS), on('DeleteArtifact', UPLOAD_ENDS)]) {
      given(created(), announced()).when(command).refused('not_found');
    }
    given(created(), announced())
      .when(on('ExpireArtifact', before(UPLOAD_ENDS)))
      .nothingHappens();
    given(created(), announced())
      .when(on('ExpireArtifact', UPLOAD_ENDS))
      .happens(gone('never_confirmed', false));
  });

  it('expires at the end of its life, to the millisecond', () => {
    const there = given(created(), announced(), confirmed());
    for (const command of [confirm(ENDS), on('DeleteArtifact', ENDS)])
      there.when(command).refused('not_found');
    there.when(on('ExpireArtifact', before(ENDS))).nothingHappens();
    there.when(on('ExpireArtifact', ENDS)).happens(gone('expired', true));
  });

  it('is deleted, confirmed or not, and leaves nothing in the state of its result', () => {
    given(created(), announced()).when(on('DeleteArtifact')).happens(gone('requested', false));
    given(created(), announced(), confirmed()).when(on('DeleteArtifact')).happens(gone('requested', true));
    expect(given(created(), announced(), gone('requested', false)).state()).to.deep.equal(
      given(created()).state(),
    );
    given(created(), announced(1), announced(2), gone('requested', false, 1))
      .when(on('DeleteArtifact', NOW, 1))
      .refused('not_found');
  });

  it('outlives every change of its result', () => {
    const change = { type: 'StartResult', at: NOW } as const;
    given(created(), announced())
      .when(change)
      .changes({ status: 'Running', started_at: NOW, updated_at: NOW });
    expect(given(created(), announced(), started()).state())
      .to.have.property('artifacts')
      .with.length(1);
  });

  it('is deleted with its result, by an event of its own before that of the result', () => {
    const { previous_status: _, ...rest } = turned('Pending', 'Pending');
    given(created(), announced(1), announced(2), confirmed(2))
      .when({ type: 'DeleteResult' })
      .happens(gone('result_deleted', false, 1), gone('result_deleted', true, 2), {
        type: 'ResultDeleted',
        data: { ...rest, retry_of: null },
      });
  });

  it('is refused for a missing result, which has none left to expire', () => {
    for (const history of [[], [created(), deleted]]) {
      for (const command of [create(), confirm(), on('DeleteArtifact')]) {
        given(...history)
          .when(command)
          .refused('not_found');
      }
      given(...history)
        .when(on('ExpireArtifact'))
        .nothingHappens();
    }
  });

  it('is created with others, up to the room that its result has', () => {
    const three = { ...create(), artifacts: [1, 2, 3].map((n) => newArtifact(n + 100)) } as ResultCommand;
    given(created(), ...many(48, (n) => [announced(n)]))
      .when(three)
      .happens(announced(101), announced(102));
    given(created(), ...many(50, (n) => [announced(n)]))
      .when(three)
      .refused('artifact_limit');
  });

  it('is confirmed with others, of which some may be gone or confirmed', () => {
    const stored = [1, 2, 3].map((n) => ({ artifact_id: idOf('artifact', n), stored_as: 'v1' }));
    given(created(), announced(2), announced(3), confirmed(3))
      .when({ type: 'ConfirmArtifacts', at: NOW, stored })
      .happens(confirmed(2));
  });

  it('is created once', () => {
    given(created(), announced()).when(create()).refused('write_conflict');
  });

  it('is refused if the result is too old, to the millisecond', () => {
    const last = new Date(Date.parse(EARLIER) + DAYS_7).toISOString();
    given(created())
      .when(create(1, last))
      .changes({
        artifacts: [{ ...newArtifact(), created_at: NOW, stored_as: null }],
      });
    const after = new Date(Date.parse(last) + 1).toISOString();
    given(created()).when(create(1, after)).refused('result_too_old');
  });
});

describe('a result with 50 artifacts', () => {
  it('takes new ones in place of expired ones, even before the janitor has recorded it', () => {
    const taken = { type: 'ArtifactCreated', data: { ...ids, ...newArtifact(51) } } as const;
    const uploading = given(created(), ...many(50, (n) => [announced(n)]));
    uploading.when(create(51, before(UPLOAD_ENDS))).refused('artifact_limit');
    uploading.when(create(51, UPLOAD_ENDS)).happens(taken);
    const history = many(50, (n) => [announced(n, { expires_at: UPLOAD_ENDS }), confirmed(n)]);
    given(created(), ...history)
      .when(create(51, UPLOAD_ENDS))
      .happens(taken);
    given(created(), ...many(50, (n) => [announced(n)]), gone('requested', false, 7))
      .when(create(51))
      .happens(taken);
  });
});

describe('after any commands on the artifacts of a result', () => {
  type Step = { minutes: number; command: (at: string) => ResultCommand };
  const which = fc.integer({ min: 1, max: 200 });
  /** An upload has one hour, and an artifact lives for four hours. Nearly all are created, and most are confirmed. */
  const step: fc.Arbitrary<Step> = fc.tuple(fc.nat(1), fc.nat(9), which).map(([minutes, kind, n]) => ({
    minutes,
    command: (at) => {
      const after = (hours: number) => new Date(Date.parse(at) + hours * 3_600_000).toISOString();
      if (kind < 7) return create(n, at, { upload_expires_at: after(1), expires_at: after(4) });
      if (kind < 9) return confirm(at, 'v1', n);
      return on(n % 8 === 0 ? 'DeleteArtifact' : 'ExpireArtifact', at, n);
    },
  }));

  function ledger(steps: readonly Step[], look: (state: Result, facts: ResultEvent[], at: string) => void) {
    let time = Date.parse(EARLIER);
    let state = result.evolve(result.initial, {
      type: 'ResultCreated',
      data: newResult(),
      meta: { at: EARLIER },
    });
    for (const { minutes, command } of steps) {
      time += minutes * 60_000;
      const at = new Date(time).toISOString();
      let facts: ReturnType<typeof result.decide> = [];
      try {
        facts = result.decide(command(at), state);
      } catch (error) {
        if (!isAppError(error)) throw error;
      }
      for (const fact of facts) state = result.evolve(state, { ...fact, meta: { at } });
      look(
        state,
        facts.map(({ type }) => type),
        at,
      );
    }
    return state;
  }

  it('it has at most 50 at once, and it can have 50', () => {
    let most = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 250, size: 'max' }), (steps) => {
        ledger(steps, (state, _, at) => {
          const there = state.life === 'present' ? (state.artifacts ?? []) : [];
          const count = there.filter((each) => isThere(each, at)).length;
          most = Math.max(most, count);
          expect(count).to.be.at.most(limits.artifactsPerResult);
        });
      }),
      { seed: 1 },
    );
    expect(most).to.equal(limits.artifactsPerResult);
  });

  it('a confirmation and an expiry never both succeed', () => {
    const race = fc.array(
      fc.record({ minutes: fc.nat(90), confirms: fc.boolean() }).map(({ minutes, confirms }) => ({
        minutes,
        command: (at: string) => (confirms ? confirm(at) : on('ExpireArtifact', at)),
      })),
      { maxLength: 12 },
    );
    const begun: Step = {
      minutes: 0,
      command: (at) =>
        create(1, at, { upload_expires_at: new Date(Date.parse(at) + 3_600_000).toISOString() }),
    };
    fc.assert(
      fc.property(race, (steps) => {
        const happened: string[] = [];
        ledger([begun, ...steps], (_, facts) => void happened.push(...facts));
        expect(new Set(happened).size, happened.join()).to.equal(happened.length);
        expect(happened.length, happened.join()).to.be.at.most(2);
      }),
    );
  });
});

describe('the id of an artifact', () => {
  const given = specification(artifactParent);
  const data = { ...ids, artifact_id: idOf('artifact') };

  it('leads to its result, and never to another', () => {
    given()
      .when({ type: 'AssignArtifact', ...data })
      .happens({ type: 'ArtifactAssigned', data });
    const assigned = given({ type: 'ArtifactAssigned', data });
    expect(assigned.state()).to.deep.equal({
      life: 'present',
      result_id: ids.result_id,
      project_id: ids.project_id,
    });
    assigned.when({ type: 'AssignArtifact', ...data }).nothingHappens();
    assigned
      .when({ type: 'AssignArtifact', ...data, result_id: idOf('result', 2) })
      .refused('write_conflict');
  });
});
