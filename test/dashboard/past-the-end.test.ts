import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { api } from '../kit/client.js';
import { givenProject, givenSubmission } from '../http/given.js';
import { OWNER_KEY } from '../kit/environment.js';
import { eventually } from '../stores.js';
import { pageServer, unescaped } from '../kit/page-server.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;
const END = /Page [\d,]+ is past the end of this list\.\s*<a href="([^"]*)">Show the last page<\/a>/u;

describe('a page past the end of a list', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY, WEBHOOK_ALLOW: '127.0.0.0/8' });
  const client = api(() => server.url, OWNER_KEY);
  const shown = async (path: string) => {
    const { status, text } = await server.get(path, { as: 'owner' });
    expect(status, path).to.equal(200);
    return text;
  };
  let project = '';
  let run = '';
  let results: string[] = [];
  let webhook = '';
  before(async () => {
    project = await givenProject(client);
    const items = Array.from({ length: 60 }, () => ({}));
    const metadata = { branch: 'main' };
    ({ run, results } = await givenSubmission(client, project, [{ status: 'failed' }, ...items], {
      metadata,
    }));
    webhook = (await client.post('/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['*'] })).body.data
      .id;
    expect((await client.post(`/v1/webhooks/${webhook}/ping`, {})).status).to.equal(202);
    await eventually('the delivery', async () => {
      const { body } = await client.get(`/v1/webhooks/${webhook}/deliveries`);
      return body.pagination.total > 0;
    });
  });

  /** Every page with a list, some of them with a filter. Each has rows. */
  const lists = (group: string): readonly string[] => [
    `${TEAM}/projects`,
    `${TEAM}/projects/${project}`,
    `${TEAM}/projects/${project}?q=branch:main`,
    `${TEAM}/projects/${project}/tests`,
    `${TEAM}/projects/${project}/tests?q=state:failing`,
    `${TEAM}/projects/${project}/tests?q=test`,
    `${TEAM}/projects/${project}/failures`,
    `${TEAM}/projects/${project}/failures/${group}`,
    `${TEAM}/runs/${run}/results`,
    `${TEAM}/runs/${run}/results?q=status:failed`,
    `${TEAM}/runs/${run}/failures`,
    `${TEAM}/runs/${run}/failures/${group}`,
    `${TEAM}/runs/${run}/compare?kind=new_failures`,
    `${TEAM}/runs/${run}/history`,
    `${TEAM}/results/${results[0]}/history`,
    `${TEAM}/team`,
    `${TEAM}/team/keys`,
    `${TEAM}/team/webhooks/${webhook}`,
  ];

  it('says so on every list, leads to the last page, and never says that the list is empty', async () => {
    const { body } = await client.get(`/v1/test-runs/${run}/failures`);
    for (const path of lists(body.data[0].group)) {
      const first = await shown(path);
      expect(first, path).not.to.match(END);
      const past = await shown(`${path}${path.includes('?') ? '&' : '?'}page=9999`);
      expect(past, path).to.match(END);
      expect(past, path).not.to.match(/class="pager"|class="panel next"/u);
      expect(past.match(/panel empty/gu), path).to.have.length(1);
      const last = await shown(unescaped(END.exec(past)![1]!));
      expect(last, path).to.include('data-row').and.not.match(END);
    }
  });

  it('leads to the last of several pages, with the rest of the view', async () => {
    const path = `${TEAM}/projects/${project}/tests?q=state%3Aall`;
    expect(unescaped(END.exec(await shown(`${path}&page=3`))![1]!)).to.equal(`${path}&page=2`);
    expect(await shown(`${path}&page=2`)).to.include('51–61 of 61');
  });

  it('of a list without rows says what its first page says', async () => {
    const none = await givenProject(client);
    const path = `${TEAM}/projects/${none}`;
    expect(await shown(`${path}?page=3`)).to.include('Post a first run');
    expect(await shown(`${path}/tests?page=3`)).to.include('No test has a result yet');
    expect(await shown(`${path}/failures?page=3`)).to.include('No test has failed');
  });
});
