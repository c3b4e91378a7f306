import { expect } from 'chai';
import { openSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesOf, openSpool, SpoolFault } from '../../../src/importers/spool.js';

describe('a spool', () => {
  const line = (n: number) => `${n} ${'ü€😀'.repeat(n % 50)}`;
  const written = Array.from({ length: 30_000 }, (_, n) => line(n));

  for (const [where, inMemory] of [
    ['memory', 64 * 2 ** 20],
    ['a file', 0],
  ] as const)
    it(`gives back every line from ${where}, at each place`, async () => {
      const spool = openSpool({ inMemory });
      const places = written.map((text) => {
        const place = spool.size();
        spool.add(text);
        return place;
      });
      const [from, to] = [places[100]!, places[20_000]!];
      expect(linesOf(await spool.read(from, to))).to.deep.equal(written.slice(100, 20_000));
      const groups: string[][] = [];
      for await (const group of spool.lines(from, to)) groups.push(group);
      expect(groups.length).to.be.above(1);
      expect(groups.flat()).to.deep.equal(written.slice(100, 20_000));

      spool.cut(from);
      spool.add('x'.repeat(3 * 2 ** 20));
      spool.add('end');
      const rest: string[][] = [];
      for await (const group of spool.lines(0, spool.size())) rest.push(group);
      expect(rest.flat()).to.deep.equal([...written.slice(0, 100), 'x'.repeat(3 * 2 ** 20), 'end']);
      spool.close();
    });

  it('leaves no file behind, not even while it is in use', async () => {
    const [given, folder] = [process.env.TMPDIR, await mkdtemp(join(tmpdir(), 'spool-'))];
    process.env.TMPDIR = folder;
    try {
      const spool = openSpool({ inMemory: 0 });
      spool.add('one');
      expect(linesOf(await spool.read(0, spool.size()))).to.deep.equal(['one']);
      expect(readdirSync(folder)).to.deep.equal([]);
      spool.close();
      process.env.TMPDIR = join(folder, 'missing');
      const none = openSpool({ inMemory: 0 });
      none.add('one');
      const fault = await none.read(0, none.size()).then(
        () => null,
        (error: unknown) => error,
      );
      expect(fault).to.be.instanceOf(SpoolFault);
    } finally {
      if (given === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = given;
      await rm(folder, { recursive: true });
    }
  });

  it('says that the disk is full, and how to use another one', () => {
    const spool = openSpool({ inMemory: 0, open: () => openSync('/dev/full', 'r+') });
    expect(() => {
      for (let n = 0; n < 3; n += 1) spool.add('x'.repeat(2 ** 20));
    }).to.throw(SpoolFault, /until they are sent: ENOSPC: no space left.*TMPDIR/u);
    spool.close();
  });
});
