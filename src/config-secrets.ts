/** Secrets of the configuration: in a variable of the environment, or in the file that another one names. */
import { readFileSync } from 'node:fs';

/** Variables that are secrets as a whole: no error shows them. */
export const plainSecrets = new Set([
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'OIDC_CLIENT_SECRET',
  'BOOTSTRAP_API_KEY',
]);

/**
 * Variables that may be read from a file, named by `<variable>_FILE`. An environment is inherited by child processes, and
 * shown by `docker inspect`. URLs are among them because they may hold a password.
 */
export const secretVariables: readonly string[] = [
  ...plainSecrets,
  'EVENTS_URL',
  'VIEWS_URL',
  'BLOBS_URL',
  'BUS_URL',
];

/** @throws Error where both are set, or where the file cannot be read or is empty */
export function textOf(env: Readonly<Record<string, string | undefined>>, name: string): string {
  // Compose files pass a variable that is not set as an empty one.
  const text = env[name] ?? '';
  const file = secretVariables.includes(name) ? (env[`${name}_FILE`] ?? '') : '';
  if (file === '') return text;
  if (text !== '') throw new Error(`${name}_FILE is set too: set one of them`);
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${name}_FILE: ${(error as Error).message}`, { cause: error });
  }
  // Editors and `echo` end a file with a line feed, which no secret has.
  const trimmed = content.replace(/[\r\n]+$/, '');
  if (trimmed === '') throw new Error(`${name}_FILE: ${file} is empty`);
  return trimmed;
}
