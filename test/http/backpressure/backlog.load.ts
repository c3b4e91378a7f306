import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { typeidUnboxed } from 'typeid-js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { streamName } from '../../../src/domain/event.js';
import type { Api } from '../../kit/client.js';
import { givenProject, givenResult, givenRun } from '../given.js';
import { expectProblem } from '../refusals.js';
import { freshMetrics } from '../monitoring/metrics-page.js';
import { ownServer, type Team } from '../../kit/server.js';
import { eventually } from '../../stores.js';

const BACKLOG = 100_000;
/** A busy machine may need many times as long as a quiet one to fold it. */
const FOLDED_WITHIN_MS = 300_000;

describe('reading while the projector is behind', function () {
  this.timeout(2 * FOLDED_WITHIN_MS);
  const server = ownServer();
  let busy: Team;
  let quiet: Team;
  let known: Team;
  let project: string;
  let knownFailure: string;
  before(async () => {
    [busy, quiet, known] = [await server.newTeam(), await server.newTeam(), await server.newTeam()];
    const ofKnown = await givenProject(known.owner);
    await givenResult(known.owner, ofKnown);
    const [test] = (await known.owner.get(`/v1/projects/${ofKnown}/tests`)).body.data;
    knownFailure = `/v1/projects/${ofKnown}/tests/${test.id}/known-failure`;
    project = await givenProject(quiet.owner);
    // Both teams are in the views before the projector falls behind. This GET waits until they are.
    const { status } = await quiet.owner.get(`/v1/test/run/?project_id=${project}`);
    expect(status).to.equal(200);
    await server.stop();
    await server.stores(({ log }) => seed(log, busy.id));
  });

  it('answers a team without writes without a wait for what another team wrote', async () => {
    await server.start();
    await expectCurrent(quiet.owner);
    expect(await lag(), 'the projector was still behind').to.be.above(0);
  });

  it('shows all writes of the team with the backlog as soon as they are folded', async () => {
    const wanted = `"total":${BACKLOG}`;
    await eventually(
      'all are shown',
      async () => (await busy.owner.getOnce('/v1/projects')).text.includes(wanted),
      FOLDED_WITHIN_MS,
    );
    await eventually('nothing is left', async () => (await lag()) === 0);
  });

  describe('without a projector', () => {
    before(async () => {
      await server.stop();
      await server.start({ ROLES: 'api' });
    });

    it('accepts writes whose parents are in no view yet', async () => {
      const made = await givenProject(busy.owner);
      const { test_run_id } = await givenRun(busy.owner, made);
      const { status } = await busy.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Running' });
      expect(status).to.equal(204);
      expectProblem(await busy.owner.post('/v1/test/run/', { project_id: project }), 404, 'not_found');
    });

    it('answers a team that wrote after about 2 s, with what the views have and X-Read-Lag', async () => {
      await givenProject(busy.owner, { name: 'Unseen' });
      let waited = Infinity;
      // A busy machine adds to some of the times.
      for (let nth = 0; nth < 5 && waited > 5_000; nth += 1) {
        const began = performance.now();
        const answer = await busy.owner.getOnce('/v1/projects');
        waited = performance.now() - began;
        expect(answer.status).to.equal(200);
        expect(answer.body.pagination.total).to.equal(BACKLOG);
        expect(Number(answer.headers.get('x-read-lag'))).to.be.above(1_000);
      }
      expect(waited).to.be.within(1_900, 5_000);
    });

    it('says X-Read-Lag, which the API document has, for a write that looks at the read models', async () => {
      await givenProject(known.owner);
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const content = JSON.stringify({ reason: 'A bug', expires_at });
      const { status, headers, text } = await known.owner.send({
        method: 'PUT',
        path: knownFailure,
        content,
      });
      expect(status, text).to.equal(200);
      expect(Number(headers.get('x-read-lag'))).to.be.above(1_000);
    });

    it('answers a team without writes without a wait, which would end with X-Read-Lag', async () => {
      await expectCurrent(quiet.owner);
    });

    it('makes and revokes keys', async () => {
      const { data } = (await quiet.owner.post('/v1/keys', { name: 'A key', role: 'viewer' })).body;
      expect((await server.as(data.key).get('/v1/me')).status).to.equal(200);
      await quiet.owner.delete(`/v1/keys/${data.id}`);
      expect((await server.as(data.key).get('/v1/me')).status).to.equal(401);
    });

    it('shows what was written meanwhile once a projector runs again', async () => {
      await server.stop();
      await server.start();
      const answer = await busy.owner.get('/v1/projects');
      expect(answer.body.pagination.total).to.equal(BACKLOG + 2);
    });
  });

  /** A GET that waited for what is not folded would say so in X-Read-Lag. */
  async function expectCurrent(api: Api): Promise<void> {
    const { status, headers, body } = await api.getOnce(`/v1/test/run/?project_id=${project}`);
    expect(status).to.equal(200);
    expect(body.items).to.deep.equal([]);
    expect(headers.get('x-read-lag')).to.equal(null);
  }

  async function lag(): Promise<number> {
    const text = await freshMetrics(server.as(null));
    return Number(/^testledger_projection_lag_seconds\{projection="records"\} (\S+)$/m.exec(text)?.[1]);
  }
});

/** Appends projects of a team to the log directly, many to a stream, since no test loads them from it. */
async function seed(log: EventLog, team: string): Promise<void> {
  const meta = {
    team_id: team,
    actor: 'system',
    at: new Date().toISOString(),
    correlation_id: 'seed',
    causation_id: null,
  };
  const created = () => {
    const data = {
      project_id: typeidUnboxed('project'),
      name: 'Of the backlog',
      description: null,
      default_branch: 'main',
    };
    return { id: randomUUID(), type: 'ProjectCreated', version: 1, data, meta };
  };
  for (let made = 0; made < BACKLOG; made += 1_000) {
    const stream = streamName('project', team, typeidUnboxed('project'));
    await log.append(stream, 'none', Array.from({ length: 1_000 }, created));
  }
}
