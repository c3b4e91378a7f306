/** Holds the code to the rules of docs/architecture.md, "Imports". */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { globSync } from 'tinyglobby';
import { pageAt, repository } from './docs/pages.js';

/** Which folders may import a package. Others may be imported by all. */
const packages: readonly [RegExp, (folder: string) => boolean][] = [
  [/^(?:libsql|mongodb|@eventstore\/.*|nats|@aws-sdk\/.*)$/u, (folder) => folder === 'adapters'],
  [/^(?:koa|@koa\/.*|koa-body)$/u, (folder) => folder === 'http' || folder === 'dashboard'],
  [/^node:(?:fs|http)/u, (folder) => folder !== 'domain'],
  // A projection is a pure fold.
  [/^node:/u, (folder) => folder !== 'projections'],
];

/** By folder: the folders, and the single files by their path in `src`, that it may import. */
const rules = rulesOf(
  pageAt('docs/architecture.md').blocks.find(({ language }) => language === 'imports')!.text,
);

const sources = globSync(['src/*/**/*.{ts,tsx}', 'projections/**/*.ts'], { cwd: repository }).map(
  (file) => [file, readFileSync(join(repository, file), 'utf8')] as const,
);

describe('Imports', () => {
  it('are only those that docs/architecture.md allows', () => {
    expect(sources.length).to.be.above(500);
    expect(sources.flatMap(([file, text]) => forbiddenIn(file, text))).to.deep.equal([]);
  });

  it('take every way that a rule allows', () => {
    const taken = new Set(
      sources.flatMap(([file, text]) =>
        namesIn(text)
          .map((name) => targetOf(file, name))
          .flatMap((target) => [folderOf(target), inSource(target)])
          .map((target) => `${folderOf(file)}: ${target}`),
      ),
    );
    const allowed = [...rules].flatMap(([folder, names]) => [...names].map((name) => `${folder}: ${name}`));
    expect(allowed.filter((way) => !way.startsWith(EVERY) && !taken.has(way))).to.deep.equal([]);
  });

  it('have a rule for each folder, and name no folder and no file that is gone', () => {
    const folders = readdirSync(join(repository, 'src'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    const names = [...folders.map(({ name }) => name), 'projections'];
    expect([...rules.keys()].filter((name) => name !== EVERY)).to.have.members(names);
    const files = globSync('**/*.ts', { cwd: join(repository, 'src') });
    const gone = [...rules.values()]
      .flatMap((allowed) => [...allowed])
      .filter((name) => !names.includes(name) && !files.includes(name));
    expect(gone).to.deep.equal([]);
  });

  it('fail for a folder, a file and a package that a rule does not name', () => {
    const forbidden = [
      ['src/domain/run.ts', "import { a } from '../ports/views.js';"],
      ['src/domain/runs/run.ts', "import type { a } from '../../trusts/trust.js';"],
      ['src/http/app.ts', "import { config } from '../config.js';"],
      ['src/http/app.ts', "import {\n  a,\n} from '../client/index.js';"],
      ['src/roles/api.ts', "const a = await import('mongodb');"],
      ['src/queries/runs.ts', "import Router from '@koa/router';"],
      ['src/cli/api.ts', "export * from '../demo/main.js';"],
      ['projections/records/runs.ts', "import '../../src/log/feed.js';"],
      ['projections/records/runs.ts', "import { createHash } from 'node:crypto';"],
      ['src/none/a.ts', "import { a } from '../domain/run.js';"],
    ] as const;
    for (const [file, text] of forbidden) expect(forbiddenIn(file, text), text).to.have.lengthOf(1);
  });

  it('pass within a folder, by a rule, and of files that every folder may import', () => {
    const names = ['./a.js', '../domain/run.js', '../client/api.generated.js', '../errors.js', 'koa'];
    const text = names.map((name) => `import { a } from '${name}';`).join('\n');
    expect(forbiddenIn('src/http/app.ts', text)).to.deep.equal([]);
  });
});

/** The line of the block that holds for all folders. */
const EVERY = 'every';

function rulesOf(block: string): Map<string, ReadonlySet<string>> {
  const lines = block
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/[\s:]+/u).filter(Boolean) as [string, ...string[]]);
  return new Map(lines.map(([folder, ...allowed]) => [folder, new Set(allowed)]));
}

/** The imports of a file that no rule allows, each as a line for a person. */
function forbiddenIn(file: string, text: string): string[] {
  const folder = folderOf(file);
  return namesIn(text)
    .filter((name) => !(name.startsWith('.') ? mayReach(folder, file, name) : mayUse(folder, name)))
    .map((name) => `${file} imports ${name}: ${folder} may not (docs/architecture.md)`);
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/gu)].map(([, name]) => name!);
}

function targetOf(file: string, name: string): string {
  return posix.join(posix.dirname(file), name).replace(/\.js$/u, '.ts');
}

function inSource(file: string): string {
  return file.replace(/^src\//u, '');
}

function mayReach(folder: string, file: string, name: string): boolean {
  const target = targetOf(file, name);
  const allowed = (each: string) => rules.get(EVERY)!.has(each) || rules.get(folder)?.has(each) === true;
  return folderOf(target) === folder || allowed(folderOf(target)) || allowed(inSource(target));
}

function mayUse(folder: string, name: string): boolean {
  return packages.every(([pattern, may]) => !pattern.test(name) || may(folder));
}

function folderOf(file: string): string {
  const [first, second] = file.split('/') as [string, string];
  return first === 'src' ? second : first;
}
