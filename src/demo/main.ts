/** `npm run demo`: fills a running service with two months of a web shop's tests. */
import { createClient, TestledgerError, unwrap, type Client } from '../client/index.js';
import { parseArgs } from 'node:util';
import { fillService } from './fill.js';
import { postLiveRun } from './live.js';
import { projects } from './suites.js';

const DAYS = 60;

try {
  await demo();
} catch (error) {
  process.exitCode = 1;
  console.error(error instanceof TestledgerError ? `${error.code}: ${error.message}` : error);
}

async function demo(): Promise<void> {
  const { live } = parseArgs({ options: { live: { type: 'boolean', default: false } } }).values;
  const url = process.env['TESTLEDGER_URL'] ?? 'http://127.0.0.1:8080';
  const apiKey = process.env['TESTLEDGER_API_KEY'];
  if (!url)
    return refuse('TESTLEDGER_URL is empty. It is where the service runs, such as http://127.0.0.1:8080.');
  if (!apiKey)
    return refuse(
      'TESTLEDGER_API_KEY is missing. Make a key of the role admin under Team > API keys, and set it: export TESTLEDGER_API_KEY=tl_…',
    );
  const client = createClient({ url, apiKey, userAgent: 'testledger-demo' });
  const { role } = (await unwrap(client.GET('/v1/me'))).data.key;
  if (role !== 'admin' && role !== 'owner')
    return refuse(
      `The key has the role ${role}. The demo makes projects, so it needs a key of the role admin.`,
    );
  const taken = await existingProject(client);
  if (taken !== null && live) return postLiveRun({ client, projectId: taken.id, print: console.log });
  if (taken !== null)
    return refuse(
      `The team has a project "${taken.name}" already, and the demo fills a team once. Use the key of another team, or --live for one more run.`,
    );
  console.log(`${url} gets ${DAYS} days of a web shop: ${projects.map(({ name }) => name).join(', ')}.`);
  console.log('Runs begin and end in the past. They are recorded now, and the log says so.');
  const began = performance.now();
  const filled = await fillService({ client, now: Date.now(), days: DAYS, print: console.log });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const { runs, results, artifacts } = filled;
  console.log(`${runs} runs, ${results} results and ${artifacts} files in ${seconds} s. Look at ${url}`);
  if (live) await postLiveRun({ client, projectId: filled.projectIds.get('Web shop')!, print: console.log });
}

async function existingProject(client: Client): Promise<{ id: string; name: string } | null> {
  const { data } = await unwrap(client.GET('/v1/projects', { params: { query: { per_page: 100 } } }));
  return data.find((one) => projects.some(({ name }) => name === one.name)) ?? null;
}

function refuse(why: string): void {
  process.exitCode = 1;
  console.error(why);
}
