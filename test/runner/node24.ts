/** `node dist/test/runner/node24.js`: the suite `process` on Node 24, whichever Node starts this. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNpmProgram, node24Program } from '../stack/install.js';

const node = await installNpmProgram(node24Program);
const main = fileURLToPath(new URL('main.js', import.meta.url));
// A test that starts a program by its name, such as `testledger`, finds the same node.
const env = {
  ...process.env,
  PATH: `${dirname(node)}${delimiter}${process.env['PATH']}`,
  // Each file has a mocha process, which loads the same modules: compiled once, they take a quarter less time.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../.cache/compiled', import.meta.url)),
};
console.log(`Node ${node24Program.version}`);
const child = spawn(node, [main, 'process'], { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
