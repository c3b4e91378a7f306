/** Installs the test runners from their lock file into the ignored folder `.cache`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projects, repository } from './running.js';

const cache = join(repository, '.cache');
const wanted = join(repository, 'test/runners');
const run = promisify(execFile);

/**
 * Returns the folder whose `node_modules` has the runners, and `testledger` itself as its users install it. Any number of
 * processes may do that at once: each works in a folder of its own, and one rename publishes the whole.
 * @throws Error where npm or its registry is missing
 */
export async function installRunners(): Promise<string> {
  const lock = await readFile(join(wanted, 'package-lock.json'));
  const home = join(cache, `runners-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (await exists(home)) return home;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'runners.'));
  try {
    for (const name of ['package.json', 'package-lock.json']) await cp(join(wanted, name), join(work, name));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: work });
    await symlink(repository, join(work, 'node_modules/testledger'));
    await rename(work, home).catch(async (error: unknown) => {
      // Another process may have been first: then its folder is used.
      if (!(await exists(home))) throw error;
    });
    return home;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** A copy of a fixture project below the runners, so that its files find them. */
export async function givenFixture(
  home: string,
  name: string,
): Promise<{ cwd: string; remove(): Promise<void> }> {
  const cwd = await mkdtemp(join(home, `${name}.`));
  await cp(join(projects, name), cwd, { recursive: true });
  return { cwd, remove: () => rm(cwd, { recursive: true, force: true }) };
}
