import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { resolveAttachment, type ResolvedAttachment } from '../../../src/importers/attachments.js';
import { attachmentLines, attachmentOf } from '../../../src/importers/report-attachment.js';

describe('importers: files of a report', () => {
  let folder = '';
  let root = '';

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'attachments-')));
    root = join(folder, 'root');
    await mkdir(join(root, 'reports', 'shots'), { recursive: true });
    await mkdir(join(folder, 'root-beside'));
    await writeFile(join(root, 'reports', 'shots', 'a b.png'), 'png');
    await writeFile(join(root, 'run.log'), 'log');
    await writeFile(join(root, 'empty.log'), '');
    await writeFile(join(root, 'large.bin'), '');
    await truncate(join(root, 'large.bin'), 101 * 1_024 * 1_024);
    await writeFile(join(folder, 'secret'), 'secret');
    await writeFile(join(folder, 'root-beside', 'secret'), 'secret');
    await symlink(join(folder, 'secret'), join(root, 'link'));
    await symlink(folder, join(root, 'up'));
    await symlink(join(root, 'run.log'), join(root, 'good-link'));
    await symlink(join(root, 'loop'), join(root, 'loop'));
  });

  after(() => rm(folder, { recursive: true }));

  async function resolved(path: string): Promise<ResolvedAttachment> {
    return resolveAttachment(path, { root, bases: [join(root, 'reports'), root] });
  }

  it('finds a path that is relative to the report or to the working folder', async () => {
    const image = { found: true, path: join(root, 'reports', 'shots', 'a b.png'), size: 3 };
    expect(await resolved('shots/a b.png')).to.deep.equal(image);
    expect(await resolved('shots\\a b.png')).to.deep.equal(image);
    expect(await resolved('reports/shots/a b.png')).to.deep.equal(image);
    expect(await resolved('../reports/./shots/a b.png')).to.deep.equal(image);
    expect(await resolved(join(root, 'run.log'))).to.deep.equal({
      found: true,
      path: join(root, 'run.log'),
      size: 3,
    });
  });

  it('returns the real path of a link that stays inside', async () => {
    expect(await resolved('good-link')).to.deep.equal({ found: true, path: join(root, 'run.log'), size: 3 });
  });

  it('finds nothing hidden, nor in node_modules', async () => {
    await mkdir(join(root, '.git'));
    await mkdir(join(root, 'node_modules'));
    for (const path of ['.env', '.git/config', 'node_modules/a.js']) {
      await writeFile(join(root, path), 'secret');
      expect(await resolved(path), path).to.deep.equal({ found: false, reason: 'hidden' });
    }
    await symlink(join(root, '.env'), join(root, 'plain-link'));
    expect(await resolved('plain-link')).to.deep.equal({ found: false, reason: 'hidden' });
  });

  it('never leaves the root', async () => {
    const outside = [
      '../../secret',
      '..\\..\\secret',
      'link',
      'up/secret',
      '../root-beside/../../secret',
      '/etc/hostname',
    ];
    for (const path of [
      ...outside,
      join(folder, 'secret'),
      join(folder, 'root-beside', 'secret'),
      'C:/secret',
      'a\0b',
    ]) {
      const found = await resolved(path);
      expect(found.found, path).to.equal(false);
      expect(found, path).to.have.property('reason').that.is.oneOf(['outside_root', 'url', 'not_found']);
    }
    expect(await resolved('link')).to.deep.equal({ found: false, reason: 'outside_root' });
  });

  it('takes no URL for a path', async () => {
    for (const url of ['https://ci.example/a.png', 'file:///etc/passwd', 'smb://host/a']) {
      expect(await resolved(url)).to.deep.equal({ found: false, reason: 'url' });
    }
  });

  it('says why a file is not taken', async () => {
    expect(await resolved('gone.png')).to.deep.equal({ found: false, reason: 'not_found' });
    expect(await resolved('loop')).to.deep.equal({ found: false, reason: 'not_found' });
    expect(await resolved('shots')).to.deep.equal({ found: false, reason: 'not_a_file' });
    expect(await resolved('empty.log')).to.deep.equal({ found: false, reason: 'empty' });
    expect(await resolved('large.bin')).to.deep.equal({ found: false, reason: 'too_large' });
  });
});

describe('importers: attachments as reports write them', () => {
  it('finds the type of a file by its name', () => {
    expect(attachmentOf('out/a b.png')).to.deep.equal({
      source: 'path',
      path: 'out/a b.png',
      name: 'a b.png',
      content_type: 'image/png',
    });
    expect(attachmentOf('trace', 'trace', 'application/zip')).to.include({ content_type: 'application/zip' });
    expect(attachmentOf('what')).to.include({ content_type: 'application/octet-stream' });
    expect(attachmentOf('https://x.example/v.webm?sig=1')).to.include({
      source: 'url',
      content_type: 'video/webm',
    });
    expect(attachmentOf(' ')).to.equal(null);
    expect(attachmentOf('x'.repeat(5_000))).to.equal(null);
    expect(attachmentOf('data:text/plain,100%25')).to.deep.include({
      source: 'body',
      body: Buffer.from('100%'),
    });
    expect(attachmentOf('data:broken')).to.equal(null);
  });

  it('finds lines in an output, wherever its pieces end', () => {
    const text =
      'a [[ b [[ATTACHMENT|one.png]] [[ATTACHMENT|two [1].png]]\n[[ATTACHMENT|cut\n]] [[ATTACHMENT|three.png]]';
    for (const size of [1, 2, 3, 7, 13, 1_000]) {
      const found: string[] = [];
      const scan = attachmentLines((path) => found.push(path));
      for (let at = 0; at < text.length; at += size) scan(text.slice(at, at + size));
      expect(found, String(size)).to.deep.equal(['one.png', 'two [1].png', 'three.png']);
    }
  });
});
