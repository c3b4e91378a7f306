import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../../../kit/client.js';
import { until } from '../../../kit/process.js';
import { ownServer } from '../../../kit/server.js';
import { allEvents } from '../../events.js';
import { bodyOf, givenTeamWithProject } from '../../given.js';

const reason = 'a key was in the log';
const expectStatus = (answer: Answer, status: number) => expect(answer.status, answer.text).to.equal(status);

/** What a call says is held by the call, whose id is not that of the run. */
describe('surface B: redaction in a run of many calls', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each test');
  const redact = (path: string) => team.owner.post(`/v1${path}/redact`, { reason });

  /** What a client may read of them, as text. */
  async function shown(results: readonly string[], runs: readonly string[]): Promise<string> {
    const paths = [
      ...results.flatMap((id) => [`/v1/test-results/${id}`, `/v1/test-results/${id}/history`]),
      ...runs.flatMap((id) => [`/v1/test-runs/${id}/results`, `/v1/test-runs/${id}/failures`]),
      `/v1/projects/${team.project}/failures`,
    ];
    const answers = await Promise.all(paths.map((path) => team.owner.get(path)));
    for (const answer of answers) expectStatus(answer, 200);
    return answers.map(({ text }) => text).join('\n') + JSON.stringify(await allEvents(team.owner));
  }

  /** As imports of two shards make it. */
  async function givenShards(text: string) {
    const run_key = randomUUID();
    const failed = { status: 'failed', error_message: `declined ${text}`, metadata: { note: text } };
    const submitted = async (index: number) => {
      const results = [
        { ...failed, name: `pays ${index}` },
        { name: 'other', status: 'passed' },
      ];
      const shard = { index, total: 2 };
      const body = { project_id: team.project, run_key, shard, results };
      const { data } = (await team.owner.post('/v1/test-runs', body)).body;
      return { run: data.id as string, result: `${data.result_id_prefix}0` };
    };
    const [{ run, result }, second] = [await submitted(1), await submitted(2)];
    return { run, results: [result, second.result] };
  }

  for (const where of ['the team', 'its project'])
    it(`finds a text of ${where} in each call, and takes it out`, async () => {
      const project_id = where === 'the team' ? null : team.project;
      const text = `canary-${randomUUID()}`;
      const { run, results } = await givenShards(text);
      expect(await shown(results, [run])).to.contain(text);
      const looked = await team.owner.post('/v1/redactions', { text, reason, project_id, dry_run: true });
      expect(looked.body.data.places).to.have.deep.members(
        results.map((id) => ({ type: 'result', id, field: 'error_message' })),
      );
      expect(looked.body.data.total).to.equal(2);
      const { data } = (await team.owner.post('/v1/redactions', { text, reason, project_id })).body;
      const path = `/v1/redactions/${data.id}`;
      await until('it is done', async () => (await bodyOf(team.owner, path)).data.state === 'done');
      expect((await bodyOf(team.owner, path)).data.places).to.equal(2);
      expect(await shown(results, [run])).not.to.contain(text);
      expect((await bodyOf(team.owner, `/v1/test-results/${results[1]}`)).data.contents).to.equal('redacted');
    });

  it('of a result takes the title of its failure along once no other result brings it', async () => {
    const text = 'canary-of-a-title';
    const { run, results } = await givenShards(text);
    const [first, second] = results as [string, string];
    expectStatus(await redact(`/test-results/${first}`), 200);
    expect(await shown([first], [])).to.contain(text);
    expectStatus(await redact(`/test-results/${second}`), 200);
    expect(await shown([first, second], [run])).not.to.contain(text);
  });

  it('of the run takes the titles of its failures along, from the answer on', async () => {
    const text = 'canary-of-a-run';
    const { run, results } = await givenShards(text);
    expectStatus(await redact(`/test-runs/${run}`), 200);
    expect(await shown(results, [run])).not.to.contain(text);
  });
});
