import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ImportError } from '../../../src/importers/import-error.js';
import { findReports, importFile } from '../../../src/importers/import-files.js';

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
    const patterns = ['b/*.xml', 'a [1].xml', '**/*.xml', join(cwd, 'b/z.xml'), 'c.json'];
    expect(await filesOf(patterns, cwd)).to.deep.equal(['a [1].xml', 'b/broken.xml', 'b/z.xml', 'c.json']);
  });

  it('finds a file once that links to it and to its folder lead to, by its own path where it has one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'linked-'));
    await mkdir(join(folder, 'sl'));
    await writeFile(join(folder, 'sl', 'z.xml'), '');
    await symlink('.', join(folder, 'sl', 'latest'));
    await symlink('z.xml', join(folder, 'sl', 'a.xml'));
    await symlink('gone', join(folder, 'sl', 'gone.xml'));
    expect(await filesOf(['sl/**/*.xml'], folder)).to.deep.equal(['sl/z.xml']);
    expect(await filesOf(['sl/a.xml', 'sl/latest/z.xml'], folder)).to.deep.equal(['sl/a.xml']);
    expect(await filesOf(['sl/a.xml', 'sl/z.xml'], folder)).to.deep.equal(['sl/z.xml']);
    expect(await filesOf(['sl/gone.xml'], folder)).to.deep.equal(['sl/gone.xml']);
    await rm(folder, { recursive: true });
  });

  it('takes what exists as a path, also behind names with signs of patterns, and a sign after a backslash as it is', async () => {
    const odd = join(cwd, 'p (1) {a,b} @(c) | d');
    await mkdir(odd);
    await writeFile(join(odd, '[1].xml'), '');
    await writeFile(join(odd, '*.xml'), '');
    const folder = 'p (1) {a,b} @(c) | d';
    expect(await filesOf([`${folder}/*`], cwd)).to.deep.equal([`${folder}/*.xml`, `${folder}/[1].xml`]);
    expect(await filesOf([`${folder}/*.xml`], cwd)).to.deep.equal([`${folder}/*.xml`]);
    expect(await filesOf([`${folder}/\\[1*`], cwd)).to.deep.equal([`${folder}/[1].xml`]);
    expect(await filesOf([join(odd, '[1].*'), `./${folder}/[1].xml`], cwd)).to.have.length(1);
  });

  it('reads 1,234 seconds as 1.234 where another duration of the file has a decimal comma, wherever it stands', async () => {
    const durations = async (name: string, ...times: string[]) => {
      const cases = times.map((time) => `<testcase name="n" time="${time}"/>`);
      const filler = `<system-out>${' '.repeat(300_000)}</system-out>`;
      await writeFile(join(cwd, name), `<testsuite name="s">${cases.join(filler)}</testsuite>`);
      const found: unknown[] = [];
      for await (const group of importFile(join(cwd, name)))
        for (const entry of group) if (entry.type === 'result') found.push(entry.item.duration_ms);
      return found;
    };
    expect(await durations('comma.xml', '1,234', '12,500', '0,005')).to.deep.equal([1_234, 12_500, 5]);
    expect(await durations('short.xml', '12,5', '1,111')).to.deep.equal([12_500, 1_111]);
    expect(await durations('thousands.xml', '1,234', '0.005', '1,234.5')).to.deep.equal([
      1_234_000, 5, 1_234_500,
    ]);
    const gzipped = gzipSync(
      '<testsuite name="s"><testcase name="n" time="1,234"/><testcase name="n" time="0,1"/></testsuite>',
    );
    await writeFile(join(cwd, 'comma.xml.gz'), gzipped);
    const entries = [];
    for await (const group of importFile(join(cwd, 'comma.xml.gz'))) entries.push(...group);
    expect(entries[0]).to.nested.include({ 'item.duration_ms': 1_234 });
  });

  it('reads what gzip has packed, and says where it is cut off', async () => {
    const packed = gzipSync('<testsuite name="z"><testcase name="one"/></testsuite>');
    await writeFile(join(cwd, 'packed.xml.gz'), packed);
    const entries = [];
    for await (const group of importFile(join(cwd, 'packed.xml.gz'))) entries.push(...group);
    expect(entries.filter(({ type }) => type === 'result')).to.have.length(1);
    await writeFile(join(cwd, 'cut.xml.gz'), packed.subarray(0, 30));
    expect(await faultOf(join(cwd, 'cut.xml.gz'))).to.match(/what is packed in it is cut off/);
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

  it('says what is no file: a pipe or a device, which never ends, a folder, and a link to nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'links-'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const links = { pipe: 'pipe', '/dev/zero': 'device', '.': 'folder', gone: 'link to nothing' };
    for (const [target, what] of Object.entries(links)) {
      const link = join(folder, `${what}.xml`);
      await symlink(target, link);
      expect(await faultOf(link)).to.include(`it is a ${what}`);
    }
    await rm(folder, { recursive: true });
  });

  const filesOf = async (patterns: readonly string[], from: string): Promise<string[]> =>
    (await findReports(patterns, from)).files;

  /** The message of the error `cannot_read`. */
  async function faultOf(file: string): Promise<string> {
    try {
      for await (const _ of importFile(file));
    } catch (error) {
      expect(error).to.be.instanceOf(ImportError).and.include({ code: 'cannot_read', file });
      return (error as Error).message;
    }
    throw new Error(`${file} could be read`);
  }
});
