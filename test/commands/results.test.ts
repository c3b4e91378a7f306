import { expect } from 'chai';
import { newIds } from '../../src/commands/ids.js';
import { recordResult, viewResult, type NewResult } from '../../src/commands/results.js';
import { streamName } from '../../src/domain/event.js';
import { project } from '../../src/domain/project.js';
import { result } from '../../src/domain/results/result.js';
import { run } from '../../src/domain/runs/run.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf, givenRun, NOW } from '../stores.js';

describe('recording a result', () => {
  const stores = embeddedStores('each suite');

  async function given(metadata: Record<string, unknown> = {}) {
    const there = await givenRun(stores.log, { metadata });
    const { commands, team, project_id, run_id } = there;
    const plain = { project_id, test_name: 'adds up', status: 'Passed' } as const;
    const within = { ...plain, test_run_id: run_id };
    const record = (wanted: NewResult) => recordResult(commands, stores.log, contextOf(team), wanted);
    const created = async (id: string) => {
      const [event] = await eventsOf(stores.log, streamName('result', team, id));
      return event!.data as Record<string, unknown>;
    };
    const deactivate = () =>
      commands.execute(project, there.projectStream, contextOf(team), {
        type: 'ChangeProject',
        status: 'Inactive',
      });
    return { ...there, plain, within, record, created, deactivate };
  }

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
      const { record, within, created, commands, team, runStream } = await given({
        branch: 'main',
        commit: 'abc',
      });
      const before = await record(within);
      const metadata = { branch: 'next' };
      await commands.execute(run, runStream, contextOf(team), { type: 'UpdateRun', metadata, at: NOW });
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
    it('of at most 1,000', async () => {
      const { record, within } = await given();
      const last = await record({ ...within, attempt: 1_000 });
      expect((await record({ ...within, retry_of: last.test_result_id })).attempt).to.equal(1_000);
    });
  });

  describe('is refused', () => {
    const unknown = (prefix: 'project' | 'run' | 'result') => newIds.created(prefix);

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

  it('has no view of a missing result', async () => {
    const { commands, team } = await given();
    await refusal(viewResult(commands, team, result.initial), 'not_found');
    await refusal(viewResult(commands, team, { life: 'gone' }), 'not_found');
  });
});
