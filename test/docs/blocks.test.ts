import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ended } from '../kit/command.js';
import { notRun, shellOf } from './blocks.js';
import { pageAt, pages, repository } from './pages.js';

describe('Blocks of the documents', () => {
  it('that are listed as not run exist', () => {
    const gone = notRun.filter(
      ({ page, begins }) => !shellOf(pageAt(page)).some((text) => text.startsWith(begins)),
    );
    expect(gone).to.deep.equal([]);
  });

  it('with shell commands have the language sh, so that they are run', () => {
    const others = pages.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => ['bash', 'shell', 'console', 'zsh'].includes(language))
        .map(({ text }) => `${path}: ${text}`),
    );
    expect(others).to.deep.equal([]);
  });

  it('with programs of a reader agree with the types of the package', async function () {
    this.timeout(120_000);
    // Below the repository, so that its packages and its own name are found.
    const folder = await mkdtemp(join(repository, 'dist/docs-'));
    try {
      const programs = pages.flatMap(({ path, blocks }) =>
        blocks
          .filter(({ text }) => text.includes("from 'testledger/client'"))
          .map(({ text }) => ({ path, text })),
      );
      const names = await Promise.all(
        programs.map(async ({ path, text }, n) => {
          const name = `${path.replaceAll(/\W/gu, '-')}-${n}.mjs`;
          await writeFile(join(folder, name), text);
          return name;
        }),
      );
      expect(names).to.have.length.above(2);
      const flags =
        '--noEmit --ignoreConfig --skipLibCheck --checkJs --strict false --module nodenext --target es2023';
      const tsc = join(repository, 'node_modules/typescript/bin/tsc');
      const { code, stdout } = await ended(
        process.execPath,
        [tsc, ...flags.split(' '), '--types', 'node', ...names],
        { cwd: folder, env: {} },
      );
      expect(code, stdout).to.equal(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
