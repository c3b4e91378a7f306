/** The build (`src/build.mjs`), on a small program in a folder of its own. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

describe('The build', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-build-'));
    const copied = [
      'src/build.mjs',
      'src/build-clients.mjs',
      'clients/pytest/pyproject.toml',
      'clients/pytest/README.md',
      'LICENSE',
      'src/dashboard/browser/tsconfig.json',
      'tsconfig.json',
      'package-lock.json',
    ];
    for (const file of [...copied, 'src/dashboard/basics.css', 'src/dashboard/icon.svg'])
      await cp(join(repository, file), join(folder, file), { recursive: true });
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    await write('package.json', '{ "type": "module", "name": "small", "version": "1.2.3" }');
    for (const name of ['__init__.py', 'py.typed', 'secret_forms.json'])
      await write(`clients/pytest/src/pytest_testledger/${name}`, '');
    const entries = [
      'client/index',
      ...['cypress/cypress', 'cypress/support', 'jest', 'mocha', 'playwright', 'vitest'].map(
        (name) => `reporters/${name}`,
      ),
    ];
    for (const entry of entries) await write(`src/${entry}.ts`, 'export const entry: number = 1;');
    await write('schemas/requests/One.json', '{}');
    await write(
      'src/validation/compile.ts',
      'export const compileSchemas = (folder: string) => `// ${folder}`;',
    );
    await write('src/dashboard/browser/main.ts', 'console.log(document.title);');
    for (const entry of ['src/main.ts', 'src/cli/main.ts', 'src/cli/client-main.ts'])
      await write(entry, 'console.log(import.meta.url);');
    await write('src/cli/client-commands.ts', 'export const clientCommands = new Map();');
    await write('src/one.ts', 'export const one: number = 1;');
    await write('src/two.ts', "export { one as two } from './one.js';");
    await write('test/two.test.ts', "export { two } from '../src/two.js';");
  });
  after(() => rm(folder, { recursive: true }));

  async function write(file: string, text: string) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }

  /** Builds. Returns the fault, or whether it had to build. */
  function build(): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['src/build.mjs'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout).to.equal('');
    if (status !== 0) return stderr;
    return stderr === '' ? 'nothing to do' : 'built';
  }

  const builtIn = async (path: string) => (await readdir(join(folder, 'dist', path))).sort();

  it('says that it builds, and makes all parts', async () => {
    expect(build()).to.equal('built');
    expect(await builtIn('src')).to.include.members(['one.js', 'two.js']);
    expect(await builtIn('dashboard')).to.include.members(['main.js', 'style.css']);
    expect(await builtIn('clients')).to.include.members([
      'testledger.mjs',
      'testledger.tgz',
      'testledger.tgz.sha256',
    ]);
    expect(await builtIn('validators')).to.deep.equal(['events.cjs', 'requests.cjs']);
    expect(await builtIn('program')).to.include.members(['cli.js', 'main.js']);
    expect(await builtIn('viewer')).to.have.length(2);
    expect(await builtIn('trace-viewer')).to.include('index.html');
  });

  it('does nothing, and says nothing, where nothing changed', () => {
    expect(build()).to.equal('nothing to do');
  });

  it('removes what was compiled of a source that is gone', async () => {
    await rm(join(folder, 'src/two.ts'));
    await write('test/two.test.ts', "export { one } from '../src/one.js';");
    expect(build()).to.equal('built');
    expect((await builtIn('src')).filter((name) => name.startsWith('two'))).to.deep.equal([]);
  });

  it('makes again what somebody removed from dist', async () => {
    await rm(join(folder, 'dist/src/one.js'));
    expect(build()).to.equal('built');
    expect(await builtIn('src')).to.include('one.js');
  });

  for (const file of ['schemas/requests/One.json', 'package-lock.json', 'tsconfig.json'])
    it(`builds after a change of ${file}`, async () => {
      await write(file, `${await readFile(join(folder, file), 'utf8')}\n`);
      expect(build()).to.equal('built');
      expect(build()).to.equal('nothing to do');
    });

  it('fails with the message of the compiler until the fault is mended', async () => {
    await write('src/one.ts', 'export const one: number = "1";');
    expect(build()).to.include('src/one.ts(1,14): error TS2322');
    expect(build()).to.include('src/one.ts(1,14): error TS2322');
    await write('src/one.ts', 'export const one: number = 2;');
    expect(build()).to.equal('built');
    expect(await readFile(join(folder, 'dist/src/one.js'), 'utf8')).to.include('= 2');
  });

  it('finds a fault that a build without checks passed over', async () => {
    await write('src/one.ts', 'export const one: number = "1";');
    const unchecked = spawnSync(process.execPath, ['src/build.mjs', '--noCheck'], { cwd: folder });
    expect(unchecked.status).to.equal(0);
    expect(build()).to.include('error TS2322');
  });
});
