import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ImportError } from '../../src/importers/import-error.js';
import { findReports, importFile } from '../../src/importers/import-files.js';

describe('importers: files', () => {
  let cwd = '';

  before(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'reports-'));
    await mkdir(join(cwd, 'b'));
    await writeFile(join(cwd, 'b', 'z.xml'), '<testsuite name="z"><testcase name="one"/></testsuite>');
    await writeFile(join(cwd, 'b', 'broken.xml'), '<testsuite name="broken"><testcase name="one"/>');
    await writeFile(join(cwd, 'a [1].xml'), '<testsuite name="a"><testcase name="one"/></testsuite>');
    await writeFile(
      join(cwd, 'c.json'),
      '{"results":{"tests":[{"name":"one","status":"passed","duration":1}]}}',
    );
  });

  after(() => rm(cwd, { recursive: true }));

  it('finds files by paths and patterns, sorted and each once', async () => {
    expect(await findReports(['b/*.xml', 'a [1].xml', '**/*.xml', join(cwd, 'c.json')], cwd)).to.deep.equal([
      'a [1].xml',
      'b/broken.xml',
      'b/z.xml',
      'c.json',
    ]);
  });

  it('refuses a path or a pattern that names no file', async () => {
    for (const pattern of ['gone.xml', 'gone/**/*.xml']) {
      const error: unknown = await findReports(['b/z.xml', pattern], cwd).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ImportError).and.include({ code: 'no_files', file: pattern });
    }
  });

  it('refuses a link to a pipe or a device, which never ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'links-'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await symlink('pipe', join(folder, 'pipe.xml'));
    await symlink('/dev/zero', join(folder, 'device.xml'));
    for (const link of ['pipe.xml', 'device.xml']) {
      const file = join(folder, link);
      const error: unknown = await importFile(file)
        .next()
        .catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ImportError).and.include({ code: 'cannot_read', file });
    }
    await rm(folder, { recursive: true });
  });
});
