import { expect } from 'chai';
import type { EventData, ResultEvent, RunEvent } from '../../../src/domain/events.js';
import { historyEntry, results, runs, type Kind } from '../../../src/domain/history/history.js';
import { resultSentence } from '../../../src/domain/history/result-sentence.js';
import { runSentence } from '../../../src/domain/history/run-sentence.js';
import { FORGOTTEN, subjectOf } from '../../../src/domain/history/words.js';
import { result } from '../../../src/domain/results/result.js';
import { run } from '../../../src/domain/runs/run.js';
import { eventIdOf } from '../../../src/domain/test-history/test.js';
import { idOf } from '../ids.js';
import { EARLIER, fold, NOW, type Happened } from '../given.js';
import { newResult as createdResult } from '../results/facts.js';

const who = 'The key "ci"';
const runIds = { run_id: 'run_1', project_id: 'project_1' };
const ids = { result_id: 'result_1', ...runIds };
const changed = { ...ids, test_name: 'login' };

const newRun = { ...runIds, label: null, run_key: null, metadata: null, items: 0 };
const newResult = createdResult(changed);
const item: EventData['ResultSubmitted'] = {
  ...changed,
  status: 'Failed',
  error_message: null,
  metadata: null,
  started_at: null,
  finished_at: null,
  execution_time_ms: 1_234,
  attempt: 1,
  superseded_by: null,
  supersedes: [],
  run_branch: null,
  run_commit: null,
};
const finish = { ...changed, previous_status: 'Running', status: 'Failed', finished_at: NOW } as const;
const update = { ...changed, previous_status: 'Passed', status: 'Passed' } as const;
const submission: EventData['ItemsSubmitted'] = {
  ...runIds,
  submission_id: 'run_2',
  items: 250,
  item_counts: { pending: 0, running: 0, passed: 250, failed: 0, skipped: 0, known_fail: 0 },
  replaced: 0,
  shard: null,
  items_hash: null,
  duration_ms: 0,
  finished_at: NOW,
  completes: false,
};
const completion = { ...runIds, finished_at: NOW, completion: 1, reason: 'requested' } as const;
const announced: EventData['ArtifactCreated'] = {
  ...ids,
  artifact_id: 'artifact_1',
  label: 'The screen',
  kind: 'Image',
  content_type: 'image/png',
  size_bytes: 12_345,
  test_step: null,
  metadata: null,
  expires_at: NOW,
  upload_expires_at: NOW,
};
const removed = { ...ids, artifact_id: 'artifact_1', confirmed: true, size_bytes: 12_345 };

/** What happened before, and the data of the event, for each sentence. */
type Cases<T extends RunEvent | ResultEvent> = {
  [Type in T]: Record<string, [before: readonly Happened<T>[], data: EventData[Type]]>;
};

const created: Happened<RunEvent> = { type: 'RunCreated', data: newRun };
const started: Happened<RunEvent> = { type: 'RunStarted', data: { ...runIds, started_at: EARLIER } };

const ofRuns: Cases<RunEvent> = {
  RunCreated: {
    'The key "ci" created the run.': [[], newRun],
    'The key "ci" created the run "nightly".': [[], { ...newRun, label: 'nightly' }],
    'The key "ci" submitted the run with 1 result.': [[], { ...newRun, items: 1 }],
    'The key "ci" submitted the run "nightly" with 1,200 results.': [
      [],
      { ...newRun, label: 'nightly', items: 1_200 },
    ],
  },
  RunDescribed: {
    'The key "ci" changed the label of the run.': [[created], { ...runIds, label: null }],
    'The key "ci" changed the label and the metadata of the run.': [
      [created],
      { ...runIds, label: 'x', metadata: {} },
    ],
  },
  RunStarted: {
    'The key "ci" started the run.': [[created], { ...runIds, started_at: NOW }],
    'The key "ci" started the run again.': [[created, started], { ...runIds, started_at: NOW }],
    'The key "ci" started the run, as of 2026-11-21T10:00:00.000Z.': [
      [created],
      { ...runIds, started_at: EARLIER },
    ],
  },
  RunCompleted: {
    'The key "ci" completed the run.': [[created], completion],
    'The key "ci" completed the run after 2 h.': [[created, started], completion],
    'The key "ci" completed the run again (completion 3) after 2 h.': [
      [created, started],
      { ...completion, completion: 3 },
    ],
    'The key "ci" completed the run, because nothing had happened in it for a long time.': [
      [created, started],
      { ...completion, reason: 'idle' },
    ],
    'The key "ci" completed the run, because all its shards have come.': [
      [created, started],
      { ...completion, reason: 'shards' },
    ],
  },
  ItemsSubmitted: {
    'The key "ci" submitted 250 results to the run.': [[created], submission],
    'The key "ci" submitted shard 2 of 7, with 250 results.': [
      [created],
      { ...submission, shard: { index: 2, total: 7, attempt: 1 } },
    ],
    'The key "ci" submitted shard 2 of 7, attempt 3, with 1 result.': [
      [created],
      { ...submission, items: 1, shard: { index: 2, total: 7, attempt: 3 } },
    ],
  },
  ItemsReceived: {
    'All results of the submission are recorded.': [[created], { ...runIds, submission_id: 'run_2' }],
  },
  RunReturnedToPending: { 'The key "ci" set the run back to pending.': [[created, started], runIds] },
  RunPurged: {
    'The key "ci" deleted the run for good.': [[created], runIds],
  },
  RunRedacted: {
    'The key "ci" redacted the run: a key was in the log': [
      [created],
      { ...runIds, reason: 'a key was in the log', fields: ['label'] },
    ],
  },
};

const pending: Happened<ResultEvent> = { type: 'ResultCreated', data: newResult };
const withArtifact: Happened<ResultEvent>[] = [pending, { type: 'ArtifactCreated', data: announced }];
const running: Happened<ResultEvent> = {
  type: 'ResultStarted',
  data: { ...ids, previous_status: 'Pending', status: 'Running', started_at: EARLIER },
};

const ofResults: Cases<ResultEvent> = {
  ResultCreated: {
    'The key "ci" created the result of the test "login" as pending.': [[], newResult],
    'The key "ci" created the result of the test "login" as known to fail in attempt 2, a retry of result_0.':
      [[], { ...newResult, status: 'KnownFail', attempt: 2, retry_of: 'result_0' }],
  },
  ResultSubmitted: {
    'The key "ci" submitted the result of the test "login" with its run, as failed after 1.2 s.': [[], item],
    'The key "ci" submitted the result of the test "login" with its run, as skipped in attempt 2, superseded by result_2.':
      [[], { ...item, status: 'Skipped', execution_time_ms: null, attempt: 2, superseded_by: 'result_2' }],
  },
  ResultStarted: {
    'The key "ci" started the result.': [
      [pending],
      { ...ids, previous_status: 'Pending', status: 'Running', started_at: NOW },
    ],
    'The key "ci" started the result again.': [
      [pending, running],
      { ...ids, previous_status: 'Running', status: 'Running', started_at: NOW },
    ],
  },
  ResultFinished: {
    'The key "ci" finished the result as failed.': [[pending], { ...finish, execution_time_ms: null }],
    'The key "ci" finished the result as failed after 0 ms.': [
      [pending],
      { ...finish, execution_time_ms: 0 },
    ],
    'The key "ci" finished the result as failed after 999 ms.': [
      [pending],
      { ...finish, execution_time_ms: 999 },
    ],
    'The key "ci" finished the result as failed after 59.9 s.': [
      [pending],
      { ...finish, execution_time_ms: 59_999 },
    ],
    'The key "ci" finished the result as failed after 3 min 5 s.': [
      [pending],
      { ...finish, execution_time_ms: 185_000 },
    ],
    'The key "ci" finished the result as passed after 1 h 1 min.': [
      [pending],
      { ...finish, status: 'Passed', execution_time_ms: 3_660_000 },
    ],
  },
  ResultUpdated: {
    'The key "ci" changed the result from passed to failed.': [[pending], { ...update, status: 'Failed' }],
    'The key "ci" changed the result from passed to failed, and its error message and metadata.': [
      [pending],
      { ...update, status: 'Failed', error_message: 'no', metadata: null },
    ],
    'The key "ci" changed the start, end and duration of the result.': [
      [pending],
      { ...update, started_at: EARLIER, finished_at: NOW, execution_time_ms: 1 },
    ],
  },
  ResultDeleted: {
    'The key "ci" deleted the result.': [[pending], { ...ids, status: 'Pending', retry_of: null }],
  },
  ResultRetryClaimed: {
    'The key "ci" retried the result: the retry is result_2.': [[pending], { ...ids, retry_id: 'result_2' }],
  },
  ResultRedacted: {
    'The key "ci" redacted the result: a key was in the log': [
      [pending],
      { ...ids, reason: 'a key was in the log', fields: ['error_message'] },
    ],
  },
  ResultVoided: {
    'The key "ci" gave up the id before a result was recorded under it.': [[], { result_id: 'result_1' }],
  },
  ArtifactCreated: {
    'The key "ci" announced the artifact "The screen" (Image, 12,345 bytes).': [[pending], announced],
  },
  ArtifactConfirmed: {
    'The key "ci" uploaded the artifact "The screen".': [
      withArtifact,
      { ...ids, artifact_id: 'artifact_1', stored_as: 'v1' },
    ],
  },
  ArtifactDeleted: {
    'The key "ci" deleted the artifact "The screen".': [withArtifact, { ...removed, reason: 'requested' }],
    'The key "ci" deleted the artifact "The screen" with its result.': [
      withArtifact,
      { ...removed, reason: 'result_deleted' },
    ],
    'The key "ci" deleted the artifact "The screen", because it had expired.': [
      withArtifact,
      { ...removed, reason: 'expired' },
    ],
    'The key "ci" deleted the artifact "The screen", because its upload was never confirmed.': [
      withArtifact,
      { ...removed, reason: 'never_confirmed' },
    ],
    'The key "ci" deleted the artifact "The screen", because its result was redacted.': [
      withArtifact,
      { ...removed, reason: 'redacted' },
    ],
    'The key "ci" deleted the artifact artifact_1.': [[pending], { ...removed, reason: 'requested' }],
  },
};

describe('the sentences of histories', () => {
  for (const [type, cases] of Object.entries(ofRuns)) {
    for (const [sentence, [before, data]] of Object.entries(cases)) {
      it(`say for ${type}: ${sentence}`, () => {
        const event = { type, data, meta: { at: NOW } } as Parameters<typeof runSentence>[0];
        expect(runSentence(event, who, fold(run, before))).to.equal(sentence);
      });
    }
  }

  for (const [type, cases] of Object.entries(ofResults)) {
    for (const [sentence, [before, data]] of Object.entries(cases)) {
      it(`say for ${type}: ${sentence}`, () => {
        const event = { type, data, meta: { at: NOW } } as Parameters<typeof resultSentence>[0];
        expect(resultSentence(event, who, fold(result, before))).to.equal(sentence);
      });
    }
  }

  it('name the key, the id of a key whose name is not known, and the program', () => {
    expect(subjectOf({ id: 'key_1', name: 'ci' })).to.equal('The key "ci"');
    expect(subjectOf({ id: 'key_1', name: null })).to.equal('The key key_1');
    expect(subjectOf({ id: 'system', name: null })).to.equal('The program');
    const id = idOf('person');
    expect(subjectOf({ id, name: 'Mia' })).to.equal('Mia');
    expect(subjectOf({ id, name: FORGOTTEN })).to.equal('A forgotten person');
  });
});

describe('an entry of a history', () => {
  const meta = { team_id: 'team_1', actor: 'key_1', at: NOW, correlation_id: 'one', causation_id: null };
  const place = { version: 1, stream: 'run-team_1.run_1', revision: 1, position: '1' };
  const id = '00000000-0000-4000-8000-000000000001';
  function entry<S, T extends RunEvent | ResultEvent>(
    kind: Kind<S, T>,
    states: { before: S; after: S },
    event: Happened<T>,
    actor = 'key_1',
  ) {
    const recorded = { ...place, ...event, id, meta: { ...meta, actor } } as Parameters<
      typeof historyEntry<S, T>
    >[1];
    return historyEntry(kind, recorded, { ...states, name: actor === 'key_1' ? 'ci' : null });
  }

  it('has the id of the event as the replay shows it, its type, instant, actor, sentence and changes', () => {
    const states = { before: fold(run, [created]), after: fold(run, [created, started]) };
    expect(entry(runs, states, started)).to.deep.equal({
      id: eventIdOf(id),
      type: 'RunStarted',
      at: NOW,
      actor: 'ci',
      text: 'The key "ci" started the run, as of 2026-11-21T10:00:00.000Z.',
      changes: [
        { field: 'status', from: 'pending', to: 'running' },
        { field: 'started_at', from: null, to: EARLIER },
      ],
    });
    for (const actor of ['system', 'key_2']) {
      expect(entry(runs, states, started, actor).actor).to.equal(actor);
    }
  });

  it('begins with everything that is set, from null', () => {
    const event: Happened<ResultEvent> = {
      type: 'ResultSubmitted',
      data: { ...item, error_message: 'no', metadata: { branch: 'main' }, superseded_by: 'result_2' },
    };
    const { changes } = entry(results, { before: fold(result, []), after: fold(result, [event]) }, event);
    expect(changes).to.deep.equal([
      { field: 'name', from: null, to: 'login' },
      { field: 'status', from: null, to: 'failed' },
      { field: 'error_message', from: null, to: 'no' },
      { field: 'attempt', from: null, to: 1 },
      { field: 'superseded_by', from: null, to: 'result_2' },
      { field: 'duration_ms', from: null, to: 1_234 },
      { field: 'metadata.branch', from: null, to: 'main' },
    ]);
  });

  it('shows an artifact as announced, uploaded, and then as null', () => {
    const confirmed: Happened<ResultEvent> = {
      type: 'ArtifactConfirmed',
      data: { ...ids, artifact_id: 'artifact_1', stored_as: 'v1' },
    };
    const deleted: Happened<ResultEvent> = {
      type: 'ArtifactDeleted',
      data: { ...removed, reason: 'expired' },
    };
    const all = [...withArtifact, confirmed, deleted];
    const field = 'artifacts.artifact_1';
    const wanted = [
      { field, from: null, to: 'announced' },
      { field, from: 'announced', to: 'uploaded' },
      { field, from: 'uploaded', to: null },
    ];
    for (const [n, change] of wanted.entries()) {
      const states = { before: fold(result, all.slice(0, n + 1)), after: fold(result, all.slice(0, n + 2)) };
      expect(entry(results, states, all[n + 1]!).changes).to.deep.equal([change]);
    }
  });
});
