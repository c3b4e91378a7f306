import { expect } from 'chai';
import { newIds } from '../../src/commands/ids.js';
import { recordResult, viewResult, type NewResult } from '../../src/commands/results.js';
import { streamName } from '../../src/domain/event.js';
import { project } from '../../src/domain/project.js';
import { result } from '../../src/domain/result.js';
import { run } from '../../src/domain/runs/run.js';
import { isLedgerError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun, NOW } from '../stores.js';

describe('recording a result', () => {
  const stores = embeddedStores('each suite');

  async function given(metadata: Record<string, unknown> = {}) {
    const there = await givenRun(stores.log, { metadata });
    const { ledger, team, project_id, run_id } = there;
    const plain = { project_id, test_name: 'adds up', status: 'Passed' } as const;
    const within = { ...plain, test_run_id: run_id };
    const record = (wanted: NewResult) => recordResult(ledger, stores.log, contextOf(team), wanted);
    const created = async (id: string) => {
      const [event] = await eventsOf(stores.log, streamName('result', team, id));
      return event!.data as Record<string, unknown>;
    };
    const deactivate = () =>
      ledger.execute(project, there.projectStream, contextOf(team), {
        type: 'ChangeProject',
        status: 'Inactive',
      });
    return { ...there, plain, within, record, created, deactivate };
  }

  it('returns the record, with the label of its run', async () => {
    const { record, within, project_id, run_id } = await given();
    const recorded = await record({ ...within, started_at: NOW, metadata: { a: 1 } });
    expect(recorded.test_result_id).to.match(/^result_[0-9a-z]{26}$/);
    expect(recorded).to.deep.include({
      project_id,
      test_run_id: run_id,
      test_run_label: 'nightly',
      test_name: 'adds up',
      status: 'Passed',
      started_at: NOW,
      finished_at: null,
      execution_time_ms: null,
      error_message: null,
      metadata: { a: 1 },
      attempt: 1,
      superseded_by: null,
      created_at: NOW,
      updated_at: NOW,
    });
  });

  it('needs no run', async () => {
    const { record, plain, created } = await given({ branch: 'main' });
    for (const wanted of [plain, { ...plain, test_run_id: null }]) {
      const recorded = await record(wanted);
      expect(recorded).to.include({ test_run_id: null, test_run_label: null });
      const facts = { run_id: null, run_branch: null, run_commit: null };
      expect(await created(recorded.test_result_id)).to.include(facts);
    }
  });

  describe('copies the branch and commit of its run', () => {
    it('as they are at that moment', async () => {
      const { record, within, created, ledger, team, runStream } = await given({
        branch: 'main',
        commit: 'abc',
      });
      const before = await record(within);
      const metadata = { branch: 'next' };
      await ledger.execute(run, runStream, contextOf(team), { type: 'UpdateRun', metadata, at: NOW });
      const after = await record(within);
      const facts = await Promise.all([before, after].map((each) => created(each.test_result_id)));
      expect(facts[0]).to.include({ run_branch: 'main', run_commit: 'abc' });
      expect(facts[1]).to.include({ run_branch: 'next', run_commit: null });
    });

    it('if they are texts', async () => {
      const { record, within, created } = await given({ branch: 7, commit: { sha: 'abc' } });
      const { test_result_id } = await record(within);
      expect(await created(test_result_id)).to.include({ run_branch: null, run_commit: null });
    });
  });

  describe('gives the result the attempt number', () => {
    it('that was sent, or else the next one after the result that it retries', async () => {
      const { record, within } = await given();
      const first = await record(within);
      const second = await record({ ...within, retry_of: first.test_result_id });
      const third = await record({ ...within, retry_of: second.test_result_id, attempt: 7 });
      const fourth = await record({ ...within, retry_of: third.test_result_id });
      expect([first, second, third, fourth].map(({ attempt }) => attempt)).to.deep.equal([1, 2, 7, 8]);
      expect((await record({ ...within, attempt: 3 })).attempt).to.equal(3);
    });

    it('of at most 1,000', async () => {
      const { record, within } = await given();
      const last = await record({ ...within, attempt: 1_000 });
      expect((await record({ ...within, retry_of: last.test_result_id })).attempt).to.equal(1_000);
    });
  });

  describe('is refused', () => {
    const unknown = (prefix: 'project' | 'run' | 'result') => newIds.created(prefix);

    it('with 404 if the project is missing, malformed, or another team’s', async () => {
      const { record, within, plain } = await given();
      const { project_id: foreign } = await given();
      for (const project_id of [unknown('project'), 'project_1', '', `${within.project_id}.x`, foreign]) {
        await refusal(record({ ...plain, project_id }), 'not_found');
        await refusal(record({ ...within, project_id }), 'not_found');
      }
    });

    it('with 404 if the run is missing, malformed, or another team’s', async () => {
      const { record, within } = await given();
      const { run_id: foreign } = await given();
      for (const test_run_id of [unknown('run'), 'run_1', '', within.project_id, foreign]) {
        await refusal(record({ ...within, test_run_id }), 'not_found');
      }
    });

    it('with 400 for a run of another project of the team', async () => {
      const { record, within, ledger, team } = await given();
      const project_id = newIds.created('project');
      const create = { type: 'CreateProject', project_id, name: 'Other', description: null } as const;
      await ledger.execute(project, streamName('project', team, project_id), contextOf(team), create);
      const error = await refusal(record({ ...within, project_id }), 'validation_failed');
      expect(pointers(error)).to.deep.equal(['/test_run_id other_project']);
    });

    it('with 404 as a retry of a result that is missing, malformed, or deleted', async () => {
      const { record, within, ledger, team } = await given();
      const { test_result_id } = await record(within);
      const stream = streamName('result', team, test_result_id);
      await ledger.execute(result, stream, contextOf(team), { type: 'DeleteResult' });
      const other = await given();
      const { test_result_id: foreign } = await other.record(other.within);
      for (const retry_of of [unknown('result'), 'result_1', '', test_result_id, foreign]) {
        await refusal(record({ ...within, retry_of }), 'not_found');
      }
    });

    it('with 400 as a retry of a result of another run or test, or without a run', async () => {
      const { record, within, plain, ledger, team, project_id } = await given();
      const former = await record(within);
      const loose = await record(plain);
      const run_id = newIds.created('run');
      const create = { type: 'CreateRun', run_id, project_id, label: null, metadata: null } as const;
      await ledger.execute(run, streamName('run', team, run_id), contextOf(team), create);
      const faults = async (wanted: NewResult) =>
        pointers(await refusal(record(wanted), 'validation_failed'));
      const retry_of = former.test_result_id;
      expect(await faults({ ...within, retry_of, test_name: 'subtracts' })).to.deep.equal([
        '/retry_of other_test',
      ]);
      expect(await faults({ ...within, retry_of, test_run_id: run_id })).to.deep.equal([
        '/retry_of other_test',
      ]);
      expect(await faults({ ...within, retry_of: loose.test_result_id })).to.deep.equal([
        '/retry_of other_test',
      ]);
      expect(await faults({ ...plain, retry_of: loose.test_result_id })).to.deep.equal([
        '/retry_of needs_run',
      ]);
      expect(await faults({ ...plain, retry_of, test_run_id: null })).to.deep.equal(['/retry_of needs_run']);
    });

    it('with 400 before 404, and with 404 before 403', async () => {
      const { record, within, plain, deactivate } = await given();
      const tooLate = { started_at: '2026-11-23T00:00:00.000Z' };
      const nowhere = { project_id: unknown('project') };
      await refusal(record({ ...plain, ...nowhere, ...tooLate }), 'validation_failed');
      await refusal(record({ ...plain, ...nowhere, retry_of: unknown('result') }), 'validation_failed');
      const { test_result_id } = await record(within);
      await deactivate();
      await refusal(record({ ...within, ...tooLate }), 'validation_failed');
      await refusal(record({ ...within, test_run_id: unknown('run') }), 'not_found');
      await refusal(record({ ...within, retry_of: unknown('result') }), 'not_found');
      const other = { retry_of: test_result_id, test_name: 'subtracts' };
      await refusal(record({ ...within, ...other }), 'validation_failed');
      await refusal(record({ ...within, retry_of: test_result_id }), 'project_inactive');
      await refusal(record(plain), 'project_inactive');
    });

    it('without a trace: nothing is recorded and nothing is claimed', async () => {
      const { record, within, team, deactivate } = await given();
      const { test_result_id: retry_of } = await record(within);
      const head = await stores.log.head(team);
      await refusal(
        record({ ...within, retry_of, started_at: '2026-11-23T00:00:00.000Z' }),
        'validation_failed',
      );
      await refusal(record({ ...within, retry_of, test_name: 'subtracts' }), 'validation_failed');
      expect(await stores.log.head(team)).to.equal(head);
      await deactivate();
      const inactive = await stores.log.head(team);
      await refusal(record({ ...within, retry_of }), 'project_inactive');
      expect(await stores.log.head(team)).to.equal(inactive);
    });
  });

  it('shows the current label of its run', async () => {
    const { record, within, ledger, team, runStream } = await given();
    const { test_result_id } = await record(within);
    const label = { type: 'UpdateRun', label: 'weekly', at: NOW } as const;
    await ledger.execute(run, runStream, contextOf(team), label);
    const state = await ledger.load(result, streamName('result', team, test_result_id));
    expect(await viewResult(ledger, team, state)).to.include({ test_result_id, test_run_label: 'weekly' });
  });

  it('has no view of a missing result', async () => {
    const { ledger, team } = await given();
    await refusal(viewResult(ledger, team, result.initial), 'not_found');
    await refusal(viewResult(ledger, team, { life: 'gone' }), 'not_found');
  });
});

function pointers(error: unknown): string[] {
  return isLedgerError(error) ? error.fields.map(({ pointer, code }) => `${pointer} ${code}`) : [];
}
