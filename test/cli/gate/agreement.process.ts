import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { bodyOf, givenProject } from '../../http/given.js';
import { textOf, elementsIn } from '../../dashboard/html.js';
import { api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { pageServer } from '../../kit/page-server.js';
import { testledger } from '../../kit/command.js';
import { receiver, receiving } from '../../process/webhooks/receiver.js';
import { until } from '../../kit/process.js';

const passed = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `test ${n}`, status: 'passed' }));

/** For each run, what it submits and the reasons for which it fails. The first one is the baseline. */
const runs: Record<string, [fields: object, reasons: string[]]> = {
  baseline: [
    { results: [...passed(60), { name: 'old', status: 'failed' }], metadata: { branch: 'main' } },
    ['new_failures'],
  ],
  green: [{ results: passed(60) }, []],
  'old failure': [{ results: [...passed(60), { name: 'old', status: 'failed' }] }, []],
  'new failure': [{ results: [...passed(59), { name: 'test 59', status: 'failed' }] }, ['new_failures']],
  'tests missing': [{ results: passed(30) }, ['removed']],
  skipped: [{ results: passed(60).map((one) => ({ ...one, status: 'skipped' })) }, ['empty']],
  'no result': [{ results: [], run_key: 'none', complete: true }, ['removed', 'empty']],
  cut: [
    { results: passed(60), report: { partial: true, failures_unread: 2 } },
    ['incomplete', 'report_failed'],
  ],
};

describe('the gate of a run', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY, ...receiving });
  const owner = api(() => server.url, OWNER_KEY);
  const webhooks = receiver();

  it('is the same in the API, on the page, in Markdown and JSON, in the summary, for a webhook and for the command', async function () {
    this.timeout(600_000);
    await webhooks.register(owner, ['run.completed']);
    const project = await givenProject(owner);
    const env = { TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: OWNER_KEY, TESTLEDGER_PROJECT: project };
    for (const [label, [fields, reasons]] of Object.entries(runs)) {
      const { body } = await owner.post('/v1/test-runs', {
        project_id: project,
        label,
        metadata: { branch: 'f' },
        ...fields,
      });
      const id = body.data.id as string;
      const gate = reasons.length === 0 ? 'passed' : 'failed';

      const { data } = await bodyOf(owner, `/v1/test-runs/${id}`);
      expect([data.gate, data.gate_reasons], label).to.deep.equal([gate, reasons]);
      const { data: listed } = await bodyOf(owner, `/v1/test-runs?project_id=${project}`);
      expect([listed[0].gate, listed[0].gate_reasons], label).to.deep.equal([gate, reasons]);

      const command = await testledger(['--json', 'gate', '--run', id], env);
      expect(command.code, label).to.equal(gate === 'passed' ? 0 : 1);
      const told = JSON.parse(command.stdout);
      expect([told.passed, told.gate_reasons], label).to.deep.equal([gate === 'passed', reasons]);
      const flags = await testledger(['--json', 'gate', '--run', id, '--fail-on', 'new'], env);
      expect(JSON.parse(flags.stdout).gate_reasons, label).to.deep.equal(reasons);

      const summary = await testledger(['summary', '--run', id], env);
      expect(summary.stdout, label).to.include(gate === 'passed' ? 'Gate passed' : '**Gate failed**: ');

      const path = `/teams/${OPERATOR_TEAM}/runs/${id}`;
      const shown = async (more: string) => (await server.get(`${path}${more}`, { as: 'viewer' })).text;
      const page = elementsIn(await shown(''))
        .map(textOf)
        .join(' ');
      expect(page, label).to.match(gate === 'passed' ? /Gate\s*✓\s*passed/u : /Gate\s*✗\s*failed/u);
      expect(page.includes('The gate failed: '), label).to.equal(gate === 'failed');
      expect(await shown('.md'), label).to.include(`gate ${gate}`);
      const json = JSON.parse(await shown('.json'));
      expect([json.gate, json.gate_reasons], label).to.deep.equal([gate, reasons]);

      const message = () => webhooks.taken.find(({ data: sent }) => sent.run.test_run_id === id);
      await until('the message of the run', () => message() !== undefined);
      const { data: sent } = message()!;
      expect([sent.gate, sent.gate_reasons], label).to.deep.equal([gate, reasons]);
    }
  });
});
