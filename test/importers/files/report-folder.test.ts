import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ImportError } from '../../../src/importers/import-error.js';
import { findReports } from '../../../src/importers/import-files.js';
import { candidatesIn } from '../../../src/importers/report-folder.js';

const junit = '<testsuite name="s"><testcase name="one"/></testsuite>';
const ctrf = '{"results":{"tests":[{"name":"one","status":"passed","duration":1}]}}';
const allure = '{"uuid":"a","historyId":"h","name":"one","status":"passed"}';

describe('importers: a folder of reports', () => {
  let cwd = '';

  beforeEach(async () => void (cwd = await mkdtemp(join(tmpdir(), 'folder-'))));
  afterEach(() => rm(cwd, { recursive: true }));

  async function write(files: Record<string, string | Uint8Array>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), content);
    }
  }

  it('is read with the folders below it: every report by what is in it, and what is none is named with the reason', async () => {
    await write({
      'out/a.xml': junit,
      'out/ctrf.json': ctrf,
      'out/deep/er/packed.xml.gz': gzipSync(junit),
      'out/deep/cucumber.ndjson': '{"meta":{"protocolVersion":"27"}}\n{"testRunFinished":{"success":true}}\n',
      'out/coverage.xml': '<coverage line-rate="1"/>',
      'out/package.json': '{"name":"shop","config":{}}',
      'out/settings.json': '[1, 2]',
      'out/index.html': '<html></html>',
      'out/trace.zip': 'PK',
      'out/.git/a.xml': junit,
      'out/node_modules/b.xml': junit,
      'other.xml': junit,
    });
    const { files, left } = await findReports(['out'], cwd);
    expect(files).to.deep.equal([
      'out/a.xml',
      'out/ctrf.json',
      'out/deep/cucumber.ndjson',
      'out/deep/er/packed.xml.gz',
    ]);
    const byReason = left.map(({ reason, count, files: named }) => ({ reason, count, files: named.sort() }));
    expect(byReason.sort((a, b) => (a.reason < b.reason ? -1 : 1))).to.deep.equal([
      {
        reason: 'named with a dot before, or node_modules',
        count: 2,
        files: ['out/.git', 'out/node_modules'],
      },
      {
        reason: 'not a report of a known format',
        count: 3,
        files: ['out/coverage.xml', 'out/package.json', 'out/settings.json'],
      },
      {
        reason: 'not named .xml, .trx, .json or .ndjson',
        count: 2,
        files: ['out/index.html', 'out/trace.zip'],
      },
    ]);
  });

  it('keeps what may be a report and cannot be read, so that the import says what is wrong with it', async () => {
    await write({
      'out/empty.xml': '',
      'out/cut.xml': '<testsuite name="s"><testca',
      'out/cut-early.xml': '<?xml version="1.0"?><testsu',
      'out/cut.json': '{"results":{"tes',
      'out/behind-words.xml': `> npm test\n${junit}`,
      'out/nunit-2.xml': '<test-results/>',
    });
    await symlink('gone', join(cwd, 'out', 'link-to-nothing.xml'));
    const { files, left } = await findReports(['out'], cwd);
    expect(files).to.have.length(7);
    expect(left).to.deep.equal([]);
  });

  it('has the results of Allure in folders below it as they are named alone, with nothing that lies beside them', async () => {
    await write({
      'out/allure/a-result.json': allure,
      'out/allure/b-result.json': '{"uuid":"b", "na',
      'out/allure/categories.json': '[]',
      'out/allure/x-attachment.json': '{}',
      'out/junit.xml': junit,
    });
    expect(await findReports(['out'], cwd)).to.deep.equal({
      files: ['out/allure/a-result.json', 'out/allure/b-result.json', 'out/junit.xml'],
      left: [],
    });
  });

  it('is not left by a link to a folder, not read for ever by one in a circle, and has a file once that a link leads to', async () => {
    await write({ 'out/a.xml': junit, 'elsewhere/b.xml': junit, 'c.xml': junit });
    await symlink('.', join(cwd, 'out', 'circle'));
    await symlink('../elsewhere', join(cwd, 'out', 'elsewhere'));
    await symlink('a.xml', join(cwd, 'out', 'latest.xml'));
    await symlink('../c.xml', join(cwd, 'out', 'c.xml'));
    await symlink('out', join(cwd, 'named'));
    for (const name of ['out', 'named']) {
      const { files, left } = await findReports([name], cwd);
      expect(files).to.have.members([`${name}/a.xml`, `${name}/c.xml`]);
      expect(left.map(({ reason, count }) => ({ reason, count }))).to.deep.equal([
        { reason: 'a link to a folder', count: 2 },
      ]);
    }
  });

  it('is refused without a report, with what is in it, so that an empty folder never passes for a run', async () => {
    await mkdir(join(cwd, 'empty'));
    await write({ 'blobs/report-1.zip': 'PK', 'blobs/report-2.zip': 'PK', 'blobs/settings.json': '{}' });
    const refusal = async (name: string) => {
      const error: unknown = await findReports([name], cwd).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ImportError).and.include({ code: 'no_files', file: name });
      return (error as ImportError).detail;
    };
    expect(await refusal('empty')).to.equal('No report is in this folder.');
    expect(await refusal('blobs'))
      .to.match(/^No report is in this folder\. /)
      .and.match(/2 not read, not named .*: blobs\/report-\d\.zip, blobs\/report-\d\.zip\./)
      .and.include('1 not read, not a report of a known format: blobs/settings.json.');
  });

  it('is refused where it has more than so many files, before they are read', async () => {
    await write({ 'out/a.xml': junit, 'out/b.txt': '', 'out/deep/c.xml': junit });
    const found = (most: number) => candidatesIn(join(cwd, 'out'), () => undefined, most);
    expect(found(4)).to.have.length(2);
    expect(() => found(3))
      .to.throw(ImportError, 'more than 3 files')
      .with.property('code', 'too_large');
  });
});
