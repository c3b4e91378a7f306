import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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

  it('yields a file once that a report names from its own folder and from the working folder', async () => {
    await writeFile(join(cwd, 'b', 'two.log'), 'two');
    await writeFile(join(cwd, 'two.log'), 'another');
    const fromHere = relative(process.cwd(), join(cwd, 'b', 'two.log'));
    const property = (path: string): string => `<property name="attachment" value="${path}"/>`;
    await writeFile(
      join(cwd, 'b', 'files.xml'),
      `<testsuite name="s"><testcase name="t"><properties>${property(fromHere)}${property('../two.log')}${property('gone/two.log')}</properties><system-out>[[ATTACHMENT|two.log]]</system-out></testcase></testsuite>`,
    );
    const entries = [];
    for await (const group of importFile(join(cwd, 'b', 'files.xml'))) entries.push(...group);
    const paths = entries.flatMap((entry) =>
      entry.type === 'result'
        ? entry.attachments.map((file) => (file.source === 'path' ? file.path : file.name))
        : [],
    );
    expect(paths).to.deep.equal([fromHere, '../two.log', 'gone/two.log']);
    const last = entries.at(-1);
    expect(last?.type === 'summary' && last.summary.attachments).to.equal(3);
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
