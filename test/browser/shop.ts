/** The pages of a server that the demo has filled, by name. */
import { createClient } from '../../src/client/index.js';
import { fillService, type Filled } from '../../src/demo/fill.js';
import type { Site } from '../kit/site.js';

/** Ten days of the web shop. */
export async function fillShop({ url, key }: { url: string; key: string }): Promise<Filled> {
  const client = createClient({ url, apiKey: key });
  return fillService({ client, now: Date.now(), days: 10, print: () => undefined });
}

export type ShopPage = { path: string; /** A text that the page must show. */ shows: string };

/** By the name of the page. */
export async function shopPages({ api, team }: Site): Promise<Record<string, ShopPage>> {
  const get = async (path: string) => (await api.get(path)).body.data;
  const projects = await get('/v1/projects');
  const { id } = projects.find(({ name }: { name: string }) => name === 'Web shop');
  const runs = await get(`/v1/test-runs?project_id=${id}&branch=main&per_page=20`);
  const run = runs.find(({ tool }: { tool: string }) => tool === 'playwright');
  const baseline = runs.filter(({ tool }: { tool: string }) => tool === 'playwright')[1];
  const groups = await get(`/v1/test-runs/${run.id}/failures`);
  const picture = groups.find(({ title }: { title: string }) => title.includes('toHaveScreenshot')).example;
  const failure = groups[0].example;
  const [flaky] = await get(`/v1/projects/${id}/tests?q=suggests%20while`);
  const project = `${team}/projects/${id}`;
  const link = (await api.post(`/v1/test-runs/${run.id}/links`, {})).body.data.url;
  await api.post(`/v1/projects/${id}/badges`, { branch: 'main' });
  const shared = new URL(link).pathname;
  return {
    today: { path: `${team}?since=week`, shows: 'Newly flaky' },
    projects: { path: `${team}/projects`, shows: 'Web shop' },
    runs: { path: project, shows: 'Confirm card payments in one step' },
    change: { path: `${project}/change?commit=${run.commit}`, shows: 'The newest build failed' },
    'two-branches': {
      path: `${project}/compare?branch=main&with=feature%2Fgift-cards`,
      shows: 'fail on both',
    },
    tests: { path: `${project}/tests`, shows: 'suggests while typing' },
    failures: { path: `${project}/failures`, shows: 'Pay now' },
    'failure-group': { path: `${project}/failures/${groups[0].group}`, shows: 'Pay now' },
    insights: { path: `${project}/insights?days=7`, shows: 'Slowest tests' },
    'all-insights': { path: `${team}/insights`, shows: 'Web shop' },
    test: { path: `${project}/tests/${flaky.id}`, shows: 'suggests while typing' },
    run: { path: `${team}/runs/${run.id}`, shows: 'Pay now' },
    results: { path: `${team}/runs/${run.id}/results?q=cart`, shows: 'adds an item' },
    compare: { path: `${team}/runs/${run.id}/compare?with=${baseline.id}`, shows: 'pays by card' },
    'run-history': { path: `${team}/runs/${run.id}/history`, shows: 'completed' },
    failure: { path: `${team}/results/${failure.id}`, shows: 'Timeout 5000ms exceeded' },
    'failure-with-pictures': { path: `${team}/results/${picture.id}`, shows: '2841 pixels' },
    'result-history': { path: `${team}/results/${failure.id}/history`, shows: 'failed' },
    share: { path: `${team}/runs/${run.id}/links`, shows: 'Make a link' },
    badges: { path: `${project}/settings/badges`, shows: 'Make a badge' },
    'shared-run': { path: shared, shows: 'Pay now' },
    'shared-failure': { path: `${shared}/results/${picture.id}`, shows: '2841 pixels' },
    account: { path: '/account', shows: 'Name and e-mail' },
    members: { path: `${team}/team`, shows: 'Olga Owner' },
    keys: { path: `${team}/team/keys`, shows: 'Create the key' },
    webhooks: { path: `${team}/team/webhooks`, shows: 'ebhook' },
    uploads: { path: `${team}/team/uploads`, shows: 'pload' },
    audit: { path: `${team}/team/audit`, shows: 'became a member' },
    'team-settings': { path: `${team}/team/settings`, shows: 'Gate' },
    operations: { path: `${team}/operations`, shows: 'og' },
  };
}

export const pageNames = [
  'today',
  'projects',
  'runs',
  'change',
  'two-branches',
  'tests',
  'failures',
  'failure-group',
  'insights',
  'all-insights',
  'test',
  'run',
  'results',
  'compare',
  'run-history',
  'failure',
  'failure-with-pictures',
  'result-history',
  'members',
  'keys',
  'webhooks',
  'uploads',
  'audit',
  'team-settings',
  'operations',
  'share',
  'badges',
  'shared-run',
  'shared-failure',
  'account',
] as const;
