/** Which shell blocks of the documents run as tests. */
import type { Page } from './pages.js';

/** Blocks that cannot run in a session, by their page and first line. */
export const notRun: readonly { page: string; begins: string; because: string }[] = [
  { page: 'README.md', begins: 'npm ci && npm start', because: 'installs all packages' },
  { page: 'CONTRIBUTING.md', begins: 'npm ci', because: 'installs all packages' },
  {
    page: 'CONTRIBUTING.md',
    begins: "export TEST_EVENTS_URL='esdb://…'",
    because: 'runs the test suites on an EventStoreDB',
  },
  {
    page: 'clients/pytest/README.md',
    begins: 'export TESTLEDGER_URL',
    because: 'test/clients/wheel.tools.ts and pytest.tools.ts run it',
  },
  { page: 'clients/pytest/README.md', begins: 'npm run -s build', because: 'runs the suite of the plugin' },
  {
    page: 'docs/ci.md',
    begins: '# The command line, in one file',
    because: 'test/clients/served.process.ts and wheel.tools.ts run it',
  },
  {
    page: 'docs/reporters.md',
    begins: 'curl -fsSO',
    because: 'test/clients/served.process.ts installs the package',
  },
  {
    page: 'docs/reporters.md',
    begins: 'list=$(go list',
    because: 'needs Go; test/cli/shard.process.ts plays another runner',
  },
  { page: 'docs/adapters.md', begins: 'npm run -s build', because: 'builds the program' },
  {
    page: 'docs/agents.md',
    begins: 'curl -H',
    because: 'needs the id of a run; test/programs/key-pages.test.ts asks for its text',
  },
  {
    page: 'docs/coming-from/allure.md',
    begins: 'rm -rf allure-results',
    because: 'needs tests with Allure; test/importers imports what they wrote',
  },
  {
    page: 'docs/coming-from/allure.md',
    begins: 'testledger import archive/',
    because: 'needs an archive; test/importers imports the results of Allure',
  },
  {
    page: 'docs/webhooks.md',
    begins: 'testledger webhooks create https://hooks.slack.com',
    because: 'needs a channel of Slack; test/http/surface-b/webhook-formats.test.ts plays one',
  },
  {
    page: 'docs/webhooks.md',
    begins: 'testledger webhooks create https://prod-00',
    because: 'needs a channel of Teams; test/http/surface-b/webhook-formats.test.ts plays one',
  },
  { page: 'docs/benchmark.md', begins: 'npm run bench', because: 'takes ten minutes' },
  { page: 'docs/benchmark.md', begins: 'npm run -s build', because: 'measures for ten seconds' },
  { page: 'docs/command-line.md', begins: 'npm ci && npm run build', because: 'installs all packages' },
  {
    page: 'docs/command-line.md',
    begins: 'testledger copy-log',
    because: 'needs an EventStoreDB; test/cli/copy-log.process.ts runs it between folders',
  },
  {
    page: 'docs/dashboard.md',
    begins: 'export TESTLEDGER_API_KEY',
    because: 'fills a service for half a minute; test/demo runs it small',
  },
  {
    page: 'docs/operations.md',
    begins: "export EVENTS_URL='esdb:",
    because: 'starts servers on other stores',
  },
  { page: 'docs/operations.md', begins: "export BLOBS_URL='s3:", because: 'sets variables of servers on S3' },
  { page: 'docs/operations.md', begins: "export BUS_URL='nats:", because: 'starts servers on NATS' },
  {
    page: 'docs/operations.md',
    begins: 'npm run -s testledger -- keys create --local',
    because: 'needs a server that is stopped; test/process/keys.create.process.ts runs it',
  },
  {
    page: 'docs/operations.md',
    begins: 'mv data/secret.key',
    because: 'stops and starts the server; test/process/rotated-key.process.ts runs it',
  },
  {
    page: 'docs/sign-in.md',
    begins: 'npm run -s testledger -- people',
    because: 'needs accounts of people; test/process/people.process.ts runs it',
  },
  { page: 'docs/operations.md', begins: 'docker compose up', because: 'needs Docker' },
  {
    page: 'docs/pytest.md',
    begins: 'export TESTLEDGER_URL',
    because: 'test/clients/pytest.tools.ts runs it',
  },
  { page: 'docs/pytest.md', begins: 'pytest --', because: 'test/clients/pytest.tools.ts runs it' },
  { page: 'docs/start.md', begins: 'npm ci && npm run build', because: 'installs all packages' },
];

const isNotRun = (page: Page, text: string) =>
  notRun.some(({ page: path, begins }) => path === page.path && text.startsWith(begins));
export const shellOf = (page: Page) =>
  page.blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
export const runnableOf = (page: Page) => shellOf(page).filter((text) => !isNotRun(page, text));
