// Builds `dist/`: what the compiler makes of `src`, `projections`, `test` and `bench`, the validators of the schemas,
// and what pages load. Does nothing where nothing changed since the last build. Its arguments go to the compiler.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { resolve } = createRequire(import.meta.url);

const COMPILED = ['src', 'projections', 'test', 'bench'];
/** Written last, so an interrupted build counts as none: hashes of all that was read and of the names in `dist`. */
const STAMP = 'dist/built';

// Taken before the build: a file that changes meanwhile is built the next time.
const inputs = hashOfInputs();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== stamp()) await build(process.argv.slice(2));

async function build(compilerArguments) {
  const began = performance.now();
  // On standard error: the output of the command line is read by programs.
  console.error(existsSync('dist') ? 'Building what changed…' : 'Building the program (first start)…');
  rmSync(STAMP, { force: true });
  const stems = new Set(
    COMPILED.flatMap(filesIn)
      .filter(isCompiled)
      .map((file) => file.replace(/\.tsx?$/, '')),
  );
  removeStale(stems);
  compile(compilerArguments);
  // The compiler believes its record of the last build, and does not see that somebody removed files.
  if (![...stems].every((stem) => existsSync(join('dist', `${stem}.js`)))) {
    rmSync('dist/tsconfig.tsbuildinfo');
    compile(compilerArguments);
  }
  for (const folder of ['dashboard', 'page-scripts', 'trace-viewer', 'validators', 'viewer'])
    rmSync(join('dist', folder), { recursive: true, force: true });
  compile(['-p', 'src/dashboard/browser', ...compilerArguments]);
  copyAssets();
  await writeValidators();
  await bundlePages();
  await bundle();
  const { buildClients } = await import('./build-clients.mjs');
  await buildClients(JSON.parse(readFileSync('package.json', 'utf8')));
  // With arguments, as `--noCheck`, faults may have been passed over.
  if (compilerArguments.length === 0) writeFileSync(STAMP, stamp());
  console.error(`Built in ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
}

/** Ends this process where the compiler finds a fault, which it has printed. */
function compile(args) {
  const tsc = join(dirname(resolve('typescript/package.json')), 'bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, ...args], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

/** Removes what was compiled of sources that are gone: tests would run it, and imports would find it. */
function removeStale(stems) {
  for (const file of COMPILED.flatMap((folder) => filesIn(join('dist', folder)))) {
    if (!stems.has(file.slice('dist/'.length).replace(/\.(js|js\.map|d\.ts)$/, ''))) rmSync(file);
  }
}

/** What the installed service serves as it is. It does not need the packages that these files come from. */
function copyAssets() {
  for (const [target, source] of [
    ['dashboard/icon.svg', 'src/dashboard/icon.svg'],
    ['viewer/swagger-ui.css', resolve('swagger-ui-dist/swagger-ui.css')],
    ['viewer/swagger-ui-bundle.js', resolve('swagger-ui-dist/swagger-ui-bundle.js')],
  ]) {
    mkdirSync(join('dist', dirname(target)), { recursive: true });
    copyFileSync(source, join('dist', target));
  }
  writeFileSync('dist/dashboard/style.css', stylesheet());
  const playwright = dirname(resolve('playwright-core/package.json'));
  cpSync(join(playwright, 'lib/vite/traceViewer'), 'dist/trace-viewer', { recursive: true });
  for (const name of ['LICENSE', 'NOTICE'])
    copyFileSync(join(playwright, name), join('dist/trace-viewer', name));
}

/** The styles of all pages. Of two rules that weigh the same, a page's counts, then a script's, then a part's. */
function stylesheet() {
  const all = filesIn('src/dashboard').filter((file) => file.endsWith('.css'));
  const folders = ['parts', 'browser', 'pages'].map((name) => `src/dashboard/${name}/`);
  const shared = all.filter((file) => !folders.some((folder) => file.startsWith(folder)));
  const others = folders.flatMap((folder) => all.filter((file) => file.startsWith(folder)));
  const chart = resolve('uplot/dist/uPlot.min.css');
  return [chart, ...shared, ...others].map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** The schemas as JavaScript. */
async function writeValidators() {
  const { compileSchemas } = await import('../dist/src/validation/compile.js');
  mkdirSync('dist/validators');
  for (const folder of ['events', 'requests'])
    writeFileSync(`dist/validators/${folder}.cjs`, compileSchemas(folder));
}

/** The scripts of pages as one file, and what charts need as another, which only pages with a chart load. */
async function bundlePages() {
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({ input: 'dist/page-scripts/main.js', platform: 'browser' });
  await bundled.write({ dir: 'dist/dashboard', cleanDir: false, minify: true });
  await bundled.close();
}

/**
 * The program and its threads as few files, with the packages that every start loads: node needs a millisecond or more
 * for each module, and there are some 1,700. Packages that are native, or that only some configurations load, stay out.
 */
async function bundle() {
  const threads = filesIn('dist/src').filter((file) => file.endsWith('.thread.js'));
  const input = {
    main: 'dist/src/main.js',
    cli: 'dist/src/cli/main.js',
    ...Object.fromEntries(threads.map((file) => [file.slice('dist/src/'.length, -'.js'.length), file])),
  };
  const { rolldown } = await import('rolldown');
  const bundled = await rolldown({
    input,
    platform: 'node',
    // A package of koa has one, for a call that we do not make.
    checks: { eval: false },
    // The other form of jsonc-parser asks for its files by names that a bundler cannot see.
    resolve: { mainFields: ['module', 'main'] },
    // The tables are those of Chinese, Japanese and Korean texts, 0.4 MB. Bodies are read as bytes, so nothing asks for them.
    external:
      /^(node:|libsql|pino|mongodb|@eventstore\/|@grpc\/|@aws-sdk\/|nats$)|\/iconv-lite\/encodings\/tables\//,
  });
  rmSync('dist/program', { recursive: true, force: true });
  await bundled.write({
    dir: 'dist/program',
    cleanDir: false,
    sourcemap: true,
    // V8 keeps the text of each module in each thread, and one that is not of Latin-1 takes two bytes a character. Lines stay,
    // so that a stack names one.
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
  });
  await bundled.close();
}

function stamp() {
  const names = filesIn('dist').filter((name) => name !== STAMP);
  return `${inputs} ${createHash('sha256').update(names.join('\n')).digest('hex')}`;
}

/** Their contents, because a branch or an archive can bring files with any times. */
function hashOfInputs() {
  const lists = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'tsconfig.json'];
  const hash = createHash('sha256');
  for (const file of [
    ...lists.filter((list) => existsSync(list)),
    ...[...COMPILED, 'schemas'].flatMap(filesIn),
    ...filesIn('clients/pytest').filter((file) =>
      /^clients\/pytest\/(src\/.*(\.py|\.json)|README\.md|pyproject\.toml)$/.test(file),
    ),
  ])
    hash.update(`${file}\n${createHash('sha256').update(readFileSync(file)).digest('hex')}\n`);
  return hash.digest('hex');
}

function isCompiled(file) {
  return /(?<!\.d)\.tsx?$/.test(file) && !file.startsWith('src/dashboard/browser/');
}

/** All files below a folder, in order; none where it does not exist. */
function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
