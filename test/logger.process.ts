import { expect } from 'chai';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogger } from '../src/logger.js';

describe('the log of the program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'testledger-log-'));
  const path = join(folder, 'log');
  const written = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
  after(() => rmSync(folder, { recursive: true }));

  it('has every line once and in order after a flush, however many there are', async () => {
    const file = openSync(path, 'w');
    const { logger, flush } = createLogger('info', file);
    for (let n = 0; n < 1_000; n += 1) logger.info({ n, text: 'ä€\u{1f600}'.repeat(n % 7) }, 'request');
    await flush();
    closeSync(file);
    const lines = written().map((line) => JSON.parse(line) as { n: number; text: string });
    expect(lines.map(({ n }) => n)).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => n));
    expect(lines[6]!.text).to.equal('ä€\u{1f600}'.repeat(6));
  });

  it('drops lines instead of filling the memory while its reader takes none, and says then how many bytes it dropped', async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('../src/logger.js', import.meta.url).href)};
      const { logger, flush } = createLogger('info', 1, 1_000_000);
      const text = 'x'.repeat(1_000);
      for (let n = 0; n < 4_000; n += 1) {
        logger.info({ n, text }, 'request');
        if (n % 100 === 0) await new Promise(setImmediate);
      }
      process.stderr.write('written');
      const waiting = setInterval(() => undefined, 1_000);
      process.stdin.once('data', () => flush().then(() => process.exit(0)));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
    await once(child.stderr, 'data');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('dropped_bytes')) child.stdin.end('stop');
    });
    await once(child, 'close');
    const lines = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { n?: number; dropped_bytes?: number });
    const numbers = lines.flatMap(({ n }) => n ?? []);
    expect(numbers).to.deep.equal([...numbers].sort((one, other) => one - other));
    const dropped = lines.reduce((sum, { dropped_bytes = 0 }) => sum + dropped_bytes, 0);
    expect(dropped + output.length).to.be.within(4_000 * 1_000, 4_000 * 1_200);
    expect(output.length).to.be.below(1_500_000);
  });

  it('ends its flush within a second and a half where its reader takes nothing, and lets the process end', async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('../src/logger.js', import.meta.url).href)};
      const { logger, flush } = createLogger('info');
      for (let n = 0; n < 2_000; n += 1) logger.info({ n, text: 'x'.repeat(1_000) }, 'request');
      const began = performance.now();
      await flush();
      process.stderr.write(String(performance.now() - began));
      process.exit(4);`;
    let leastMs = Infinity;
    // Up to ten times: the machine may be busy.
    for (let nth = 0; nth < 10 && leastMs > 1_500; nth += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
      const exited = once(child, 'exit') as Promise<[number]>;
      const [ms] = (await once(child.stderr, 'data')) as [Buffer];
      leastMs = Math.min(leastMs, Number(ms));
      expect((await exited)[0]).to.equal(4);
    }
    expect(leastMs).to.be.within(900, 1_500);
  });

  it('has all lines at an exit that does not flush it', async () => {
    const program = `
      import { createLogger } from ${JSON.stringify(new URL('../src/logger.js', import.meta.url).href)};
      const { logger } = createLogger('info');
      for (let n = 0; n < 300; n += 1) logger.info({ n }, 'request');
      process.exit(3);`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    const { stdout, code } = (await run.catch((error: unknown) => error)) as { stdout: string; code: number };
    expect([stdout.split('\n').length, code]).to.deep.equal([301, 3]);
  });

  for (const reader of ['is gone', 'takes nothing'] as const) {
    it(`lets the process end at an exit that does not flush it, where its reader ${reader}`, async () => {
      const program = `
        import { createLogger } from ${JSON.stringify(new URL('../src/logger.js', import.meta.url).href)};
        const { logger } = createLogger('info');
        process.stdin.once('data', () => {
          for (let n = 0; n < 2_000; n += 1) logger.info({ n, text: 'x'.repeat(1_000) }, 'request');
          process.exit(3);
        });`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
      if (reader === 'is gone') child.stdout.destroy();
      child.stdin.end('exit');
      try {
        const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(60_000) })) as [number];
        expect(code).to.equal(3);
      } finally {
        child.kill('SIGKILL');
      }
    });
  }
});
