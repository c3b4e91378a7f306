import { expect } from 'chai';
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecordFile } from './record-file.js';

describe('the file of the EventStoreDB stand-in', () => {
  let folder = '';
  let path = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-record-file-'));
    path = join(folder, 'records');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('has every record when it is opened again, each at the place that was returned', () => {
    // The third is larger than the window of a read.
    const texts = ['first', '', 'third '.repeat(1_000_000), 'fourth'];
    const wasAt = write(path, texts);
    expect(read(path)).to.deep.equal(texts.map((text, index) => ({ text, at: wasAt[index] })));
  });

  it('keeps all records before a last one that is cut off anywhere, and takes new ones after them', () => {
    const texts = ['first', 'second'];
    write(path, texts);
    const before = statSync(path).size;
    write(path, ['the last one']);
    const after = statSync(path).size;
    for (let size = before; size < after; size++) {
      const torn = join(folder, `torn-${size}`);
      copyFileSync(path, torn);
      truncateSync(torn, size);
      expect(
        read(torn).map(({ text }) => text),
        `${size} bytes`,
      ).to.deep.equal(texts);
      write(torn, ['new']);
      expect(
        read(torn).map(({ text }) => text),
        `${size} bytes`,
      ).to.deep.equal([...texts, 'new']);
    }
  });
});

function write(path: string, texts: readonly string[]): number[] {
  const file = openRecordFile(path, () => {});
  const wasAt = texts.map((text) => {
    const at = file.nextContentAt();
    file.append([Buffer.from(text)]);
    expect(file.read(at, Buffer.byteLength(text)).toString()).to.equal(text);
    return at;
  });
  file.close();
  return wasAt;
}

function read(path: string): { text: string; at: number }[] {
  const records: { text: string; at: number }[] = [];
  openRecordFile(path, (content, at) => records.push({ text: content.toString(), at })).close();
  return records;
}
