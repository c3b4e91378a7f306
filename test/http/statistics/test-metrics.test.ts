import { expect } from 'chai';
import { api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { until } from '../../kit/process.js';
import { ownServer } from '../../kit/server.js';
import { givenProject, givenSubmission } from '../given.js';

describe('/metrics/tests', () => {
  describe('with TEST_METRICS', () => {
    const server = ownServer({ TEST_METRICS: 'on', BOOTSTRAP_API_KEY: OWNER_KEY });
    const owner = api(() => server.url, OWNER_KEY);
    let projects: string[];
    /** What a new key gets. The route is not in the document of the API, so no client of the tests asks for it. */
    const shownTo = async (role: string, project_ids?: string[]) => {
      const sent = { name: 'Prometheus', role, ...(project_ids && { project_ids }) };
      const { key } = (await owner.post('/v1/keys', sent)).body.data;
      const headers = { authorization: `Bearer ${key}` };
      let response!: Response;
      // On a busy machine the first answers may be stale.
      await until('a page that is current', async () => {
        response = await fetch(`${server.url}/metrics/tests`, { headers });
        return !response.headers.has('X-Read-Lag');
      });
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        text: await response.text(),
      };
    };
    before(async () => {
      projects = [await givenProject(owner, { name: 'One' }), await givenProject(owner, { name: 'Two "2"' })];
      for (const project of projects) {
        const metadata = { branch: 'main', environment: { os: 'linux' } };
        await givenSubmission(
          owner,
          project,
          [
            { name: 'pays', attempt: 1, status: 'failed', duration_ms: 3_000, metadata: { owner: '@shop' } },
            { name: 'pays', attempt: 2, metadata: { owner: '@shop' } },
          ],
          { metadata },
        );
      }
    });

    it('shows gauges by project, environment and owner to the key of a viewer', async () => {
      const { status, text, type } = await shownTo('viewer');
      expect(status).to.equal(200);
      expect(type).to.match(/^text\/plain/);
      const of = `project="One",project_id="${projects[0]}"`;
      expect(text).to.include(`testledger_runs{${of},environment="os=linux",outcome="passed"} 1`);
      expect(text).to.include(`testledger_lost_seconds{${of},environment="os=linux"} 3`);
      expect(text).to.include(`testledger_owner_lost_seconds{${of},owner="@shop"} 3`);
      expect(text).to.include('project="Two \\"2\\""');
    });

    it('shows a key of some projects those alone, and nothing without a key or to a reporter', async () => {
      const { text } = await shownTo('viewer', [projects[1]!]);
      expect(text).to.include(projects[1]!).and.not.include(projects[0]!);
      expect((await fetch(`${server.url}/metrics/tests`)).status).to.equal(401);
      expect((await shownTo('reporter', [projects[0]!])).status).to.equal(403);
    });
  });

  describe('by default', () => {
    const server = ownServer({});
    it('is not there', async () => {
      expect((await fetch(`${server.url}/metrics/tests`)).status).to.equal(404);
    });
  });
});
