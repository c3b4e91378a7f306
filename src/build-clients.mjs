/**
 * Builds `dist/clients/`, which a server of this version hands out: the command line in one file, an npm package without
 * dependencies that has the command line, the reporters and the client, and the wheel of the pytest plugin. The same
 * sources give the same bytes, so that servers of one version have the same checksums.
 */
import { zipSync } from 'fflate';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { parse as parseToml } from 'smol-toml';
import { create as createTar } from 'tar';

const FOLDER = 'dist/clients';
const PYTEST = 'clients/pytest';
/** Archives name a time for each file. ZIP knows none before it. */
const TIME = new Date('1980-01-01T12:00:00Z');
/** The entries of the package, by the names of `exports` in package.json. */
const entries = {
  client: 'dist/src/client/index',
  cypress: 'dist/src/reporters/cypress/cypress',
  'cypress/support': 'dist/src/reporters/cypress/support',
  jest: 'dist/src/reporters/jest',
  mocha: 'dist/src/reporters/mocha',
  playwright: 'dist/src/reporters/playwright',
  vitest: 'dist/src/reporters/vitest',
};

/** Needs `dist/src`. `manifest`: the content of package.json. */
export async function buildClients(manifest) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const commandLine = `${FOLDER}/testledger.mjs`;
  const packages = await bundle({
    input: 'dist/src/cli/client-main.js',
    file: commandLine,
    version: manifest.version,
    described: await describedCommands(),
  });
  writeFileSync(commandLine, inAscii(readFileSync(commandLine, 'utf8')));
  await buildPackage(manifest, commandLine, licenses(packages));
  buildWheel();
  writeFileSync(`${FOLDER}/licenses.txt`, licenses(packages));
  // `<hash>  <name>` is what `sha256sum --check` reads.
  for (const name of readdirSync(FOLDER)) {
    const hash = createHash('sha256')
      .update(readFileSync(join(FOLDER, name)))
      .digest('hex');
    writeFileSync(join(FOLDER, `${name}.sha256`), `${hash}  ${name}\n`);
  }
}

/** As the help of the command line lists them. */
async function describedCommands() {
  const { clientCommands } = await import('../dist/src/cli/client-commands.js');
  const loaded = await Promise.all([...clientCommands.values()].map((load) => load()));
  return loaded.map(({ command, describe }) => ({ command, describe }));
}

/** One character that is none of Latin 1 makes Node keep two bytes for each of the file, and start later. */
function inAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Everything that `input` imports, with its version in it: a client has no package.json two folders above. Returns the
 * folders of the packages that are in it.
 */
async function bundle({ input, file, dir, version, described = null }) {
  const bundled = await rolldown({
    input,
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    plugins: [
      {
        name: 'facts',
        load(id) {
          if (id.endsWith('dist/src/version.js')) return `export const version = ${JSON.stringify(version)};`;
          return id.endsWith('dist/src/cli/described.js')
            ? `export const described = ${JSON.stringify(described)};`
            : null;
        },
      },
    ],
  });
  const output = dir === undefined ? { file, codeSplitting: false } : { dir };
  // Names of functions stay, for the traces of errors. Node reads all of the file at each start: 2.3 MB took it 15 ms more.
  const minify = {
    compress: { target: 'es2023' },
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  };
  const comments = { legal: true, annotation: false, jsdoc: false };
  const written = await bundled.write({ ...output, minify, comments });
  await bundled.close();
  const modules = written.output.flatMap((each) => each.moduleIds ?? []);
  return [
    ...new Set(modules.flatMap((id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])),
  ].sort();
}

async function buildPackage({ name, version, description, license, engines }, commandLine, notices) {
  const folder = 'dist/clients-package/package';
  rmSync(dirname(folder), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const inputs = Object.fromEntries(Object.entries(entries).map(([key, stem]) => [key, `${stem}.js`]));
  await bundle({ input: inputs, dir: folder, version });
  copyFileSync(commandLine, join(folder, 'testledger.mjs'));
  chmodSync(join(folder, 'testledger.mjs'), 0o755);
  const types = Object.fromEntries(
    Object.entries(entries).map(([key, stem]) => [key, copyTypes(`${stem}.d.ts`, join(folder, 'types'))]),
  );
  const shown = Object.keys(entries).map((key) => [
    `./${key}`,
    { types: `./types/${types[key]}`, default: `./${key}.js` },
  ]);
  const made = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { testledger: 'testledger.mjs' },
    exports: Object.fromEntries(shown),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(made, null, 2)}\n`);
  copyFileSync('LICENSE', join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'licenses.txt'), notices);
  const at = { cwd: dirname(folder), file: `${FOLDER}/testledger.tgz` };
  await createTar({ ...at, gzip: { level: 9 }, portable: true, mtime: TIME }, ['package']);
  rmSync(dirname(folder), { recursive: true });
}

/** The licenses of packages ask for their text beside each copy. */
function licenses(packages) {
  return packages
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Copies a file of types and all that it imports, packages included. Returns the path of its copy in `folder`. */
function copyTypes(file, folder) {
  const name = file.includes('node_modules/')
    ? file.slice(file.lastIndexOf('node_modules/')).replace('node_modules/', 'packages/')
    : relative('dist', file);
  const copy = join(folder, name);
  if (existsSync(copy)) return name;
  mkdirSync(dirname(copy), { recursive: true });
  // Before the imports, which may lead back to it.
  writeFileSync(copy, '');
  const text = readFileSync(file, 'utf8').replace(/(?<=\bfrom ')[^']+(?=')/g, (wanted) => {
    const found = typesOf(wanted, file);
    if (found === null) return wanted;
    const path = relative(dirname(name), copyTypes(found, folder));
    return (path.startsWith('.') ? path : `./${path}`)
      .replace(/\.d\.ts$/, '.js')
      .replace(/\.d\.mts$/, '.mjs');
  });
  writeFileSync(copy, text.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
  return name;
}

/** The file of types that an import names; null for those of Node and of the frameworks that load a reporter. */
function typesOf(wanted, from) {
  if (wanted.startsWith('.')) return join(dirname(from), wanted.replace(/\.js$/, '.d.ts'));
  if (wanted.startsWith('node:') || wanted === 'mocha') return null;
  const file = createRequire(join(process.cwd(), from)).resolve(wanted);
  const types = [file.replace(/\.c?js$/, '.d.mts'), file.replace(/\.c?js$/, '.d.ts')].find((each) =>
    existsSync(each),
  );
  if (types === undefined) throw new Error(`${wanted}, which ${from} imports, has no types`);
  return relative(process.cwd(), types);
}

/** A wheel is a ZIP of the package and of what pyproject.toml says about it (PEP 427). */
function buildWheel() {
  const { project, tool } = parseToml(readFileSync(`${PYTEST}/pyproject.toml`, 'utf8'));
  const [module] = readdirSync(`${PYTEST}/src`).filter((name) => /^\w+$/.test(name));
  const data = tool.setuptools['package-data'][module];
  const files = readdirSync(`${PYTEST}/src/${module}`)
    .filter((name) => name.endsWith('.py') || data.includes(name))
    .map((name) => [`${module}/${name}`, readFileSync(`${PYTEST}/src/${module}/${name}`)]);
  const info = `${module}-${project.version}.dist-info`;
  const points = Object.entries(project['entry-points']).map(
    ([group, values]) =>
      `[${group}]\n${Object.entries(values)
        .map(([key, value]) => `${key} = ${value}\n`)
        .join('')}`,
  );
  const metadata = [
    'Metadata-Version: 2.4',
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `License-Expression: ${project.license}`,
    `Requires-Python: ${project['requires-python']}`,
    ...project.dependencies.map((each) => `Requires-Dist: ${each}`),
    ...project.classifiers.map((each) => `Classifier: ${each}`),
    'Description-Content-Type: text/markdown',
  ];
  const all = [
    ...files,
    [`${info}/METADATA`, `${metadata.join('\n')}\n\n${readFileSync(`${PYTEST}/${project.readme}`, 'utf8')}`],
    [
      `${info}/WHEEL`,
      'Wheel-Version: 1.0\nGenerator: testledger\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ],
    [`${info}/entry_points.txt`, points.join('\n')],
  ].map(([name, content]) => [name, Buffer.from(content)]);
  const record = all.map(
    ([name, content]) =>
      `${String(name)},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}\n`,
  );
  all.push([`${info}/RECORD`, Buffer.from(`${record.join('')}${info}/RECORD,,\n`)]);
  const zip = zipSync(Object.fromEntries(all), { level: 9, mtime: TIME });
  writeFileSync(`${FOLDER}/${module}-${project.version}-py3-none-any.whl`, zip);
}
