import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { mappedStack } from '../src/source-maps.js';

/** Without `--enable-source-maps`, which mocha has here. */
async function runs(program: string): Promise<{ stdout: string; stderr: string }> {
  const imports = ['createLogger logger', 'mapUncaughtErrors source-maps', 'readConfig config'].map(
    (each) => {
      const [name, file] = each.split(' ');
      return `import { ${name} } from '${new URL(`../src/${file}.js`, import.meta.url).href}';`;
    },
  );
  const run = promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    imports.join('') + program,
  ]);
  return run.catch((error: unknown) => error as { stdout: string; stderr: string });
}

/** The text of the source that a stack's first place in `src/config.ts` names. */
function namedIn(stack: string): string {
  const [, url, line] = /(file:\S+\/src\/config\.ts):(\d+):\d+/.exec(stack) ?? [];
  if (url === undefined) throw new Error(`no place in src/config.ts: ${stack}`);
  return readFileSync(new URL(url), 'utf8').split('\n')[Number(line) - 1]!;
}

describe('stacks of errors', () => {
  it('name the lines of the TypeScript in the log, although Node reads no source maps', async () => {
    const { stdout } = await runs(`
      const { logger, flush } = createLogger('info');
      try { readConfig({ PORT: 'none' }); } catch (err) { logger.error({ err }, 'cannot start'); }
      await flush();`);
    const { err } = JSON.parse(stdout) as { err: { stack: string } };
    expect(namedIn(err.stack)).to.include('throw');
    expect(err.stack).not.to.match(/src\/config\.js/);
  });

  it('name the lines of the TypeScript where an uncaught error ends the process', async () => {
    const { stderr } = await runs(`mapUncaughtErrors(); readConfig({ PORT: 'none' });`);
    expect(namedIn(stderr)).to.include('throw');
  });

  it('leave the error that ends the process as it is where its stack cannot be changed', async () => {
    const { stderr } = await runs(`mapUncaughtErrors(); throw Object.freeze(new Error('the cause'));`);
    expect(stderr).to.include('Error: the cause').and.not.include('TypeError');
  });

  it('are mapped in milliseconds, however long a text of a store is', () => {
    const texts = ['file:///', 'file:///a.js', new URL('../src/', import.meta.url).href, 'x.js:1:'];
    const began = performance.now();
    for (const text of texts) expect(mappedStack(text.repeat(20_000))).to.equal(text.repeat(20_000));
    expect(performance.now() - began).to.be.below(1_000);
  });

  it('stay as they are where a file has no map, is of another package, or is not there', () => {
    const stack = [
      'Error: x.js:1:1',
      `    at f (${new URL('../src/not-there.js', import.meta.url).href}:3:7)`,
      '    at g (file:///elsewhere/node_modules/koa/lib/application.js:4:1)',
      '    at node:internal/process/task_queues:95:5',
    ].join('\n');
    expect(mappedStack(stack)).to.equal(stack);
  });
});
