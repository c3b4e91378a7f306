/** Checks of this machine: its Node, its folders, their disks, the port, and the URL by which others reach it. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Config } from '../../../config.js';
import { plainHttpAdvice, plainHttpWarning } from '../../../http/plain-http.js';
import { reasonOf } from '../../../errors.js';
import { failed, ok, warn, type Finding } from './check.js';

const FREE_BYTES = { fail: 100 * 2 ** 20, warn: 2 ** 30 };

/** A file is written into the folder and removed: rights alone say nothing about a disk that is read only. */
export async function checkFolder(folder: string): Promise<Finding> {
  const check = 'folder';
  if (!existsSync(folder)) {
    return warn(
      check,
      `${folder} does not exist yet`,
      'The first start of the server makes it, or set DATA_DIR.',
    );
  }
  const probe = join(folder, `.doctor-${randomUUID()}`);
  try {
    await writeFile(probe, 'x');
    await rm(probe);
  } catch (error) {
    return failed(
      check,
      `cannot write: ${reasonOf(error)}`,
      'Give the user of the server the right to write.',
    );
  }
  return ok(check, `${folder} is writable`);
}

export async function checkDisk(folder: string): Promise<Finding> {
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  const { bavail, bsize } = await statfs(there);
  const free = bavail * bsize;
  const message = `${(free / 2 ** 30).toFixed(1)} GiB are free for ${folder}`;
  const advice = 'Free some space: a full disk stops all writes.';
  if (free < FREE_BYTES.fail) return failed('disk', message, advice);
  return free < FREE_BYTES.warn ? warn('disk', message, advice) : ok('disk', message);
}

/** The port is free, or a testledger listens on it. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const place = `${host}:${port}`;
  const fault = await listenFault(host, port);
  if (fault === null) return ok('port', port === 0 ? 'any free port' : `${place} is free`);
  if (fault.code !== 'EADDRINUSE') return failed('port', `${place}: ${fault.message}`, 'Set HOST and PORT.');
  const there = await testledgerAt(host, port);
  return there === null
    ? failed('port', `another program listens on ${place}`, 'Set PORT to a free port, or stop that program.')
    : ok('port', `testledger ${there} listens on ${place}`);
}

export function checkPublicUrl(config: Config): Finding {
  const check = 'public URL';
  const warning = plainHttpWarning(config);
  if (warning !== null) return warn(check, warning, plainHttpAdvice);
  return ok(check, config.publicUrl ?? 'that of each request, because PUBLIC_URL is not set');
}

function listenFault(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

async function testledgerAt(host: string, port: number): Promise<string | null> {
  const name = host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/v1/test/status`, {
      signal: AbortSignal.timeout(5_000),
    });
    const body = (await answer.json()) as { version?: string };
    return typeof body.version === 'string' ? body.version : null;
  } catch {
    // Whatever it is, it does not speak our HTTP.
    return null;
  }
}
