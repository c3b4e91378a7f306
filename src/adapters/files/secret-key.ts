/** The secret of a server without a configured one. It is made at the first start, and kept. */
import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import { makePrivateFolder } from '../shared/file-modes.js';
import type { SecretKeys } from '../../secret-key/secret-keys.js';
import { syncFolder } from './durable-files.js';
import { nullIfMissing } from './places.js';

type Configured = Pick<Config, 'secretKey' | 'previousSecretKey' | 'dataDir'>;

/** The keys of this server: the configured ones, or the one in its folder. @throws Error as `secretInFolder` does. */
export async function secretKeysOf({
  secretKey,
  previousSecretKey: previous,
  dataDir,
}: Configured): Promise<SecretKeys> {
  return { current: secretKey ?? (await secretInFolder(dataDir)), previous };
}

/**
 * The same beside a server, which has made it. Another one would open nothing, and a later backup would hold it.
 * @throws Error where there is none, or as `secretInFolder` does.
 */
export async function presentSecretKeysOf({
  secretKey,
  previousSecretKey: previous,
  dataDir,
}: Configured): Promise<SecretKeys> {
  const current =
    secretKey ?? (await read(join(dataDir, 'secret.key'))) ?? noSecret(dataDir, 'SECRET_KEY or DATA_DIR');
  return { current, previous };
}

/**
 * The secret in `<folder>/secret.key`. Makes it where there is none; several starts at the same instant get the same
 * one.
 * @throws Error where other users can read the file, or where it holds no key.
 */
export async function secretInFolder(folder: string): Promise<string> {
  const file = join(folder, 'secret.key');
  makePrivateFolder(folder);
  return (await read(file)) ?? (await make(folder, file));
}

/** Copies the secret of a folder, durably. @throws Error where there is none, or as `secretInFolder` does. */
export async function copySecret(from: string, to: string): Promise<void> {
  const secret = (await read(join(from, 'secret.key'))) ?? noSecret(from, 'DATA_DIR');
  await write(join(to, 'secret.key'), secret);
  await syncFolder(to);
}

function noSecret(folder: string, variables: string): never {
  throw new Error(`there is no secret.key in ${folder}; set ${variables}`);
}

async function read(file: string): Promise<string | null> {
  const found = await stat(file).catch(nullIfMissing);
  if (found === null) return null;
  if ((found.mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others: chmod 600 it, or remove it to have a new one made`);
  }
  const text = (await readFile(file, 'utf8')).trimEnd();
  // A truncated key would still sign, and its signatures could be forged.
  if (!/^[\w-]{43}$/.test(text)) {
    throw new Error(
      `${file} holds no key: restore it, or remove it to have a new one made (then signed URLs and the secrets of webhooks become invalid)`,
    );
  }
  return text;
}

async function make(folder: string, file: string): Promise<string> {
  const work = `${file}.${process.pid}.${randomBytes(8).toString('hex')}`;
  try {
    await write(work, randomBytes(32).toString('base64url'));
    // Not a rename: the key of another start must stay, because that start may have signed with it already.
    await link(work, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncFolder(folder);
  } finally {
    await rm(work, { force: true });
  }
  const kept = await read(file);
  if (kept === null) throw new Error(`${file} was removed while this server started`);
  return kept;
}

async function write(file: string, secret: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
