/** How a build is named by the claims of its token, also in the history of what it has done. */

type Claims = Readonly<Record<string, unknown>>;

/** The claims of a service by which people know a build. None names a person: the log keeps them for ever. */
const named: readonly (readonly [string, ...string[]])[] = [
  ['repository', 'ref', 'run_id', 'run_attempt'],
  ['project_path', 'ref', 'pipeline_id', 'job_id'],
];
const MOST = 200;

/** Such as `acme/shop refs/heads/main 4711 1`; of an unknown service, the subject. */
export function buildText(claims: Claims): string {
  const names = named.find(([first]) => isShown(claims[first])) ?? ['sub'];
  const parts = names.map((name) => claims[name]).filter(isShown);
  const text = parts.join(' ').replaceAll(/\p{C}/gu, ' ');
  return Array.from(text).slice(0, MOST).join('') || 'unnamed';
}

function isShown(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
