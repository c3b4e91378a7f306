import { closedDays } from '../../src/domain/messages/closed-days.js';
import { team } from '../../src/domain/teams/team.js';
import { result } from '../../src/domain/results/result.js';
import { run } from '../../src/domain/runs/run.js';
import { decideTrust } from '../../src/domain/teams/trust.js';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { loadSchemas } from '../../src/validation/schemas.js';
import { eventVersions, type EventType } from '../../src/domain/events.js';
import { randomHistories } from '../domain/random-histories.js';
import { newResult } from '../domain/results/facts.js';
import type { RecordedEvent } from '../../src/domain/event.js';
import { purgedEvent } from '../../src/domain/redaction/purged.js';

const folder = new URL('../../../schemas/', import.meta.url);
const read = (path: string) =>
  JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as Record<string, unknown>;

function namesProject(data: unknown): boolean {
  return typeof (data as { project_id?: string }).project_id === 'string';
}

function trustFacts() {
  const trust_id = 'trust_01kaz5a0e9fqcs5v2r0h7m6t1w';
  const trust = { trust_id, issuer: 'https://ci.example', audience: 'us', claims: { repository: 'acme/*' } };
  const present = { project_id: 'project_1', trusts: [{ ...trust, created_at: '2026-11-21T01:02:03.456Z' }] };
  return [
    ...decideTrust({ project_id: 'project_1', trusts: [] }, { type: 'AddTrust', ...trust }),
    ...decideTrust(present, { type: 'RemoveTrust', trust_id }),
  ];
}

function rareFacts() {
  const ids = { project_id: 'project_1', run_id: 'run_1' };
  const reason = 'a key was in the log';
  const meta = { at: '2026-11-21T01:02:03.456Z' };
  const [created] = run.decide({ type: 'CreateRun', ...ids, label: 'nightly' }, run.initial);
  const present = run.evolve(run.initial, { ...created!, meta });
  const data = newResult({ ...ids, metadata: { note: 'a key' } });
  const failed = result.evolve(result.initial, { type: 'ResultCreated', data, meta });
  const named = { team_id: 'team_1', name: 'A team', created_at: meta.at, keys: [], members: [], gate: {} };
  const asked_since = '2026-11-01T00:00:00.000Z';
  const closeDays = {
    type: 'CloseDays',
    project_id: ids.project_id,
    until: '2026-11-20',
    asked_since,
  } as const;
  const counted = { redaction_id: 'redaction_1', project_id: null, reason, places: 1, fields: ['label'] };
  return [
    ...closedDays.decide(closeDays, closedDays.initial),
    ...team.decide({ type: 'RecordRedaction', data: counted }, { life: 'present', ...named }),
    ...run.decide({ type: 'RedactRun', reason, fields: ['results'] }, present),
    ...result.decide({ type: 'RedactResult', reason }, failed),
    ...run.decide({ type: 'PurgeRun' }, present),
    { type: 'ProjectPurged' as const, data: { project_id: ids.project_id } },
  ];
}

/** All types: the compiler refuses a missing or an extra one. */
const everyType: Record<EventType, true> = {
  ActRecorded: true,
  ActCounted: true,
  TeamCreated: true,
  TeamSettingsChanged: true,
  TextRedacted: true,
  KeyCreated: true,
  KeyRevoked: true,
  KeyTakenOver: true,
  MemberAdded: true,
  MemberRoleChanged: true,
  MemberRemoved: true,
  ProjectCreated: true,
  ProjectDescribed: true,
  ProjectStatusChanged: true,
  ProjectPurged: true,
  TrustCreated: true,
  TrustRemoved: true,
  RunCreated: true,
  RunDescribed: true,
  RunStarted: true,
  RunCompleted: true,
  RunReturnedToPending: true,
  RunRedacted: true,
  RunPurged: true,
  ItemsSubmitted: true,
  ItemsReceived: true,
  ResultCreated: true,
  ResultStarted: true,
  ResultFinished: true,
  ResultUpdated: true,
  ResultDeleted: true,
  ResultRetryClaimed: true,
  ResultVoided: true,
  ResultRedacted: true,
  ResultSubmitted: true,
  ArtifactAssigned: true,
  ArtifactCreated: true,
  ArtifactConfirmed: true,
  ArtifactDeleted: true,
  TestRecovered: true,
  TestBecameFlaky: true,
  TestBecameBroken: true,
  TestStabilised: true,
  KnownFailureSet: true,
  KnownFailureEnded: true,
  CauseChanged: true,
  CauseFixed: true,
  CauseCameBack: true,
  GroupAppeared: true,
  GroupWentAway: true,
  GroupReturned: true,
  RunFoundIncomplete: true,
  MainTurnedRed: true,
  MainTurnedGreen: true,
  DayClosed: true,
  WebhookCreated: true,
  WebhookChanged: true,
  WebhookEnabled: true,
  WebhookDisabled: true,
  WebhookDeleted: true,
  WebhookSecretRotated: true,
  WebhookPinged: true,
  WebhookReserved: true,
};

/** Types that no decider returns: the fold over the history of a test emits them, and has tests of its own. */
const transition = {
  test_id: 'test_1',
  project_id: 'project_1',
  test_name: 'adds up',
  run_id: null,
  result_id: 'result_1',
};
const causeIds = { group: 'group_1', project_id: 'project_1' };
/** Those that no decider returns. */
const foldedTypes: Partial<Record<EventType, object>> = {
  ActRecorded: {
    act: 'sign_in',
    subject: { type: 'person', id: 'person_1' },
    details: { by: 'provider', count: 1, role: null },
  },
  ActCounted: { entry_id: 'event_1', count: 2 },
  TestRecovered: { ...transition, branch: null, failure: 'result_0' },
  TestBecameFlaky: { ...transition, rule: 'same_commit', evidence: ['result_0', 'result_1'] },
  TestBecameBroken: { ...transition, run_id: 'run_1' },
  TestStabilised: { ...transition, run_id: 'run_1' },
  CauseFixed: { ...causeIds, run_id: 'run_1', last_failed_at: '2026-11-21T01:02:03.456Z' },
  GroupAppeared: { ...causeIds, run_id: null, result_id: 'result_1' },
  GroupWentAway: { ...causeIds, run_id: 'run_1', tests: 2 },
  GroupReturned: { ...causeIds, run_id: 'run_1', gone_at: '2026-11-21T01:02:03.456Z' },
  RunFoundIncomplete: { run_id: 'run_1', project_id: 'project_1', total: 3, missing: [2, 3] },
  MainTurnedRed: { run_id: 'run_1', project_id: 'project_1' },
  MainTurnedGreen: {
    run_id: 'run_2',
    project_id: 'project_1',
    red_run_id: 'run_1',
    red_since: '2026-11-21T01:02:03.456Z',
  },
  CauseCameBack: { ...causeIds, run_id: null, result_id: 'result_1', fixed_at: '2026-11-21T01:02:03.456Z' },
};

describe('the schemas', () => {
  const events = loadSchemas('events');

  it('of events exist for every type, and for no other', () => {
    const names = Object.entries(eventVersions).flatMap(([type, version]) =>
      Array.from({ length: version }, (_, n) => `${type}.v${n + 1}`),
    );
    expect([...events.keys()].sort()).to.deep.equal(names.sort());
  });

  for (const kind of ['events', 'requests']) {
    for (const file of readdirSync(new URL(`${kind}/`, folder))) {
      it(`in ${kind}/${file} have their title as name, and allow no unnamed field`, () => {
        const schema = read(`${kind}/${file}`);
        const name = file.replace(/\.json$/, '');
        expect(schema['title']).to.equal(kind === 'events' ? name.replace(/\.v\d+$/, '') : name);
        expect(schema['$id']).to.equal(`https://testledger.dev/schemas/${kind}/${file}`);
        expect(schema).to.include({ type: 'object', additionalProperties: false });
      });
    }
  }

  it('of events accept every event that the deciders return', () => {
    const seen = new Set<string>();
    for (const { type, data } of [...trustFacts(), ...rareFacts()]) {
      seen.add(type);
      expect(events.get(`${type}.v1`)?.check(data)).to.deep.equal([]);
    }
    fc.assert(
      fc.property(randomHistories(60), (commands) => {
        for (const { type, version, data } of commands.events) {
          seen.add(type);
          expect(events.get(`${type}.v${version}`)?.check(data), JSON.stringify(data)).to.deep.equal([]);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
    expect([...seen, ...Object.keys(foldedTypes)].sort()).to.deep.equal(Object.keys(everyType).sort());
  });

  it('of events accept every event of what is purged, in which no text is left', () => {
    const texts = /canary|adds up|https:/;
    const given = [...trustFacts(), ...rareFacts()];
    const check = (type: string, data: object) => {
      const left = purgedEvent({ type, data, meta: {} } as RecordedEvent).data;
      expect(events.get(`${type}.v1`)!.check(left), JSON.stringify(left)).to.deep.equal([]);
      expect(JSON.stringify(left)).not.to.match(texts);
    };
    for (const { type, data } of given) check(type, data);
    const { TestRecovered, TestBecameFlaky, TestBecameBroken, TestStabilised } = foldedTypes;
    const ofTests = { TestRecovered, TestBecameFlaky, TestBecameBroken, TestStabilised };
    for (const [type, data] of Object.entries(ofTests)) check(type, data!);
    fc.assert(
      fc.property(randomHistories(60), (commands) => {
        for (const { type, data } of commands.events) if (namesProject(data)) check(type, data);
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  for (const [type, data] of Object.entries(foldedTypes)) {
    it(`of events accept what no decider returns, with no wrong and no other field: ${type}`, () => {
      const { check } = events.get(`${type}.v1`)!;
      expect(check(data)).to.deep.equal([]);
      for (const name of Object.keys(data))
        expect(check({ ...data, [name]: true }), name).not.to.deep.equal([]);
      expect(check({ ...data, other: null })).not.to.deep.equal([]);
    });
  }

  describe('check the limits of a result:', () => {
    const faults = (data: object) => events.get('ResultCreated.v1')!.check({ ...newResult(), ...data });
    const takes = (data: object) => expect(faults(data), JSON.stringify(data).slice(0, 80)).to.deep.equal([]);
    const refuses = (data: object) =>
      expect(faults(data), JSON.stringify(data).slice(0, 80)).to.have.length.above(0);

    it('2 to 255 code points of name, without trimming', () => {
      for (const name of ['ab', '  ', 'x'.repeat(255), '😀😀', '😀'.repeat(255)]) takes({ test_name: name });
      for (const name of ['', 'a', '😀', 'x'.repeat(256), '😀'.repeat(256), 7, null])
        refuses({ test_name: name });
    });

    it('text without NUL or lone surrogates', () => {
      for (const name of ['a\0b', 'a\ud800', '\udc00a']) refuses({ test_name: name });
    });

    it('65,536 bytes and 32 levels of metadata', () => {
      takes({ metadata: { a: 'x'.repeat(65_536 - 8) } });
      refuses({ metadata: { a: 'x'.repeat(65_536 - 7) } });
      const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
      takes({ metadata: nested(32) });
      refuses({ metadata: nested(33) });
      for (const other of [[], 'text', 1, true]) refuses({ metadata: other });
    });

    it('1 to 1,000 attempts', () => {
      for (const attempt of [1, 1_000]) takes({ attempt });
      for (const attempt of [0, 1_001, 1.5, '1']) refuses({ attempt });
    });

    it('one of six statuses, and an instant or null', () => {
      for (const status of ['passed', 'Unknown', null]) refuses({ status });
      takes({ started_at: '2026-11-21T01:02:03.456Z' });
      for (const started_at of ['yesterday', 0, '']) refuses({ started_at });
    });

    it('no extra and no missing field', () => {
      refuses({ other: 1 });
      refuses({ test_name: undefined });
      refuses(JSON.parse('{"__proto__":1}') as object);
    });
  });
});
