import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a module in a Node.js process of its own, with options, and returns the values that it prints, each as a line of JSON. */
export async function printedBy(script: string, ...options: string[]): Promise<unknown[]> {
  const parameters = [...options, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 60_000 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
