/**
 * The name of a source file that is the same on every machine: without the folder into which the project was checked
 * out, and at most the last three segments of the rest.
 */

const SEGMENTS = 3;
const LONGEST = 255;

/** For example `src/orders/repo.ts` for `/home/runner/work/shop/shop/src/orders/repo.ts`. */
export function sourceFile(path: string): string {
  const plain = withoutScheme(path.slice(0, 1_000).trim()).replaceAll('\\', '/');
  const segments = resolved(withoutRoot(plain));
  return segments.slice(-SEGMENTS).map(withoutHash).join('/').slice(-LONGEST);
}

/** Whether the browser loaded the file, so that its name may be that of a bundle. */
export function isBundle(path: string): boolean {
  return /^https?:/i.test(path) || /\.min\.[cm]?js/.test(path);
}

function withoutScheme(path: string): string {
  const plain = path.replace(/[?#].*$/s, '');
  if (/^(?:webpack|webpack-internal|rsc|turbopack|ng|app|vite-node|blob):/i.test(plain)) {
    // `webpack://name/./src/orders.js`, `webpack:///./src/orders.js`, `webpack:///src/orders.js`
    const rest = plain.replace(/^[a-z-]+:\/*/i, '');
    const dot = rest.indexOf('./');
    return dot < 0 ? rest : rest.slice(dot);
  }
  return plain
    .replace(/^file:\/\/(?:localhost)?/i, '')
    .replace(/^https?:\/\/[^/]*/i, '')
    .replace(/^\/(?=[A-Za-z]:)/, '')
    .replace(/^\/@fs(?=\/)/, '');
}

const NAME = '[^/]+';
/** The checkout is exactly this folder. */
const CHECKOUTS = [
  `/(?:home|Users)/runner/work/${NAME}/${NAME}`,
  `/__w/${NAME}/${NAME}`,
  `(?:/${NAME}){0,4}/_work/${NAME}/${NAME}`,
  `[A-Za-z]:/a/${NAME}/${NAME}`,
  '/home/vsts/work/\\d+/s',
  '(?:/home/circleci|/root|/Users/distiller)/project',
  `/home/travis/build/${NAME}/${NAME}`,
  '/opt/atlassian/pipelines/agent/build',
  '/drone/src',
  '/github/workspace',
  '/usr/src/app',
  '/app',
  '/code',
].map((root) => new RegExp(`^${root}/`));

/** The checkout is somewhere in this folder: what follows may be groups, folders and the name of the project. */
const PARENTS = [
  `/builds/${NAME}/${NAME}`,
  `.{1,200}?/workspace/${NAME}`,
  `(?:/(?:var/lib|opt))?/buildkite(?:-agent)?/builds/${NAME}/${NAME}/${NAME}`,
  '/workspace',
  '/workspaces',
  `(?:/private)?/tmp/${NAME}`,
  '/usr/src',
  '/srv',
  '/var/www',
].map((root) => new RegExp(`^${root}/`));

const HOME = new RegExp(`^(?:(?:[A-Za-z]:)?/(?:home|Users)/${NAME}|/root)/`);

/** The folders with which the path of a source file usually begins in a project. */
const TOP = new Set(
  [
    'src',
    'lib',
    'app',
    'apps',
    'libs',
    'packages',
    'services',
    'modules',
    'crates',
    'internal',
    'cmd',
    'pkg',
  ].concat(['test', 'tests', 'spec', 'specs', 'e2e', 'cypress', 'features', 'integration', '__tests__']),
);

function withoutRoot(path: string): string {
  const checkout = CHECKOUTS.map((root) => root.exec(path)?.[0]).find((found) => found !== undefined);
  if (checkout !== undefined) return path.slice(checkout.length);
  const parent = PARENTS.map((root) => root.exec(path)?.[0]).find((found) => found !== undefined);
  if (parent !== undefined) return fromTop(path.slice(parent.length));
  const home = HOME.exec(path)?.[0];
  // In a home folder, `src` may also hold the projects: `~/src/shop/lib/orders.rb`.
  if (home !== undefined) return fromTop(path.slice(home.length).replace(/^src\/(?=[^/]+\/[^/]+\/)/, ''));
  return path.replace(/^[A-Za-z]:/, '');
}

function fromTop(path: string): string {
  const segments = path.split('/');
  return segments
    .slice(
      Math.max(
        segments.slice(0, -1).findIndex((segment) => TOP.has(segment)),
        0,
      ),
    )
    .join('/');
}

function resolved(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

/** `index-3f9a2b1c.js` is `index.js`: a bundler puts a hash of the content into the name. */
function withoutHash(segment: string): string {
  return segment.replace(
    /[-.]([0-9A-Za-z_]{8,32})(?=\.(?:chunk\.)?(?:[cm]?js|css)$)/,
    (whole, hash: string) =>
      /^(?=.*\d)[0-9a-f]+$/.test(hash) ||
      (hash.length === 8 && /\d|[a-z][A-Z]/.test(hash) && /[A-Z]/.test(hash))
        ? ''
        : whole,
  );
}
