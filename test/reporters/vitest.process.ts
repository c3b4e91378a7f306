import { join } from 'node:path';
import { expect } from 'chai';
import testledgerReporter from '../../src/reporters/vitest.js';
import { testServer } from '../kit/server.js';
import { givenCommands, postedRuns, type CommandHandler } from './running.js';

type Reporter = ReturnType<typeof testledgerReporter>;
type Module = Parameters<Reporter['onTestModuleEnd']>[0];
type TestCase = Parameters<Reporter['onTestCaseResult']>[0];

function givenModule(file: string, messages: readonly string[] = []): Module {
  return {
    type: 'module',
    moduleId: join(process.cwd(), file),
    project: { name: '' },
    children: { allSuites: () => [] },
    errors: () => messages.map((message) => ({ name: 'Error', message })),
  };
}

describe('the Vitest reporter', () => {
  const server = testServer();
  const broken = 'cannot import "./gone"';

  function reporterOf({ env, project }: CommandHandler): Reporter {
    const reporter = testledgerReporter({
      url: env['TESTLEDGER_URL'],
      apiKey: env['TESTLEDGER_API_KEY'],
      project,
    });
    reporter.onInit({});
    return reporter;
  }

  async function failuresOf(commands: CommandHandler): Promise<(string | null)[][]> {
    const runs = await postedRuns(commands);
    return runs.flatMap(({ results }) =>
      results.map(({ name, status, error_message }) => [name, status, error_message]),
    );
  }

  for (const { version, endsEach } of [
    { version: '3.2, which names it at the end of the run only', endsEach: false },
    { version: '4, which also ends it as a module', endsEach: true },
  ]) {
    it(`posts a file that cannot be loaded once, with Vitest ${version}`, async () => {
      const commands = await givenCommands(server);
      const reporter = reporterOf(commands);
      const [loaded, unloaded] = [givenModule('good.test.ts'), givenModule('broken.test.ts', [broken])];
      reporter.onTestRunStart();
      reporter.onTestModuleEnd(loaded);
      if (endsEach) reporter.onTestModuleEnd(unloaded);
      await reporter.onTestRunEnd([loaded, unloaded], []);
      expect(await failuresOf(commands)).to.deep.equal([['broken.test.ts', 'failed', broken]]);
    });
  }

  it('posts type, message and stack of an error, also where it is an object of Vitest itself', async () => {
    const commands = await givenCommands(server);
    const reporter = reporterOf(commands);
    const module = givenModule('good.test.ts');
    const failed: TestCase = {
      name: 'fails',
      parent: module,
      module,
      project: module.project,
      options: {},
      result: () => ({
        state: 'failed',
        errors: [
          {
            name: 'AssertionError',
            message: 'not 2',
            stack: 'AssertionError: not 2\n    at good.test.ts:1:1',
          },
        ],
      }),
      diagnostic: () => undefined,
    };
    reporter.onTestRunStart();
    reporter.onTestCaseResult(failed);
    await reporter.onTestRunEnd([module], [new TypeError('the worker died')]);
    const [{ results } = { results: [] }] = await postedRuns(commands);
    expect(results.map(({ error }) => [error!['type'], error!['message']])).to.deep.equal([
      ['AssertionError', 'not 2'],
      ['TypeError', 'the worker died'],
    ]);
    for (const { error } of results) expect(error!['stack']).to.match(/^\w+Error: .*\n +at /);
  });
});
