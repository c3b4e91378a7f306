/** Paths of source files as a report names them, made the same on every machine. */

const drive = String.raw`(?:[A-Za-z]:)?`;

/** Where services of continuous integration check out: the path after them is that in the repository. */
const checkouts = [
  String.raw`${drive}/(?:home/runner/work|Users/runner/work|a|__w)/[^/]+/[^/]+/`,
  String.raw`/github/workspace/`,
  String.raw`/builds/[^/]+/[^/]+/`,
  String.raw`/home/circleci/(?:project|repo)/`,
  String.raw`/(?:home/vsts/work|__w)/\d+/s/`,
  String.raw`${drive}/a/\d+/s/`,
  String.raw`/var/(?:lib/)?jenkins(?:_home)?/workspace/[^/]+/`,
  String.raw`/home/jenkins/(?:agent/)?workspace/[^/]+/`,
  String.raw`/opt/atlassian/pipelines/agent/build/`,
  String.raw`/var/lib/buildkite-agent/builds/[^/]+/[^/]+/[^/]+/`,
  String.raw`/(?:workspace|app|usr/src/app|project)/`,
];
const known = new RegExp(`^(?:${checkouts.join('|')})`);
const absolute = /^(?:[A-Za-z]:)?[\\/]/;

/** A text that begins with an absolute path loses the folder of the checkout. Other texts stay as they are. */
export function withoutCheckout(text: string, checkout?: string): string {
  const plain = text.startsWith('file://') ? text.slice('file://'.length) : text;
  if (!absolute.test(plain)) return text;
  const path = plain.replaceAll('\\', '/');
  const folder = checkout?.replaceAll('\\', '/').replace(/\/*$/, '/');
  if (folder !== undefined && folder !== '/' && path.startsWith(folder)) return path.slice(folder.length);
  return path.replace(known, '');
}

export type SourceFileOptions = { checkout?: string | undefined; pathPrefix?: string | undefined };

/**
 * The path of a source file in the repository, with forward slashes. The prefix goes before a path that is relative to
 * a package. A path that is still absolute stays as it is.
 */
export function sourceFile(written: string, { checkout, pathPrefix = '' }: SourceFileOptions): string {
  const path = withoutCheckout(written.trim(), checkout)
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '');
  const prefix = pathPrefix.replaceAll('\\', '/').replace(/^(?:\.?\/)+|\/+$/g, '');
  if (prefix === '' || path === '' || absolute.test(path) || path.startsWith(`${prefix}/`)) return path;
  return `${prefix}/${path}`;
}
