/** The promises of every store of contents: one suite for all adapters. */
import { expect } from 'chai';
import type { Content, KeptBy } from '../../../src/domain/event.js';
import type { Contents } from '../../../src/ports/contents.js';

/** An empty store. The suite closes what it opens. */
export type ContentsStore = {
  open(): Contents | Promise<Contents>;
  /** Removes everything, after all openings are closed. */
  remove(): Promise<void>;
};

/** A text under a hash: the store does not compute any. */
export function contentOf(text: string): Content {
  return { hash: Buffer.from(text.padEnd(16, '.').slice(0, 16)).toString('base64url'), text };
}

/** Each holder is of one project. */
function by(holder: string, project = 'project_1'): KeptBy {
  return { holder, project };
}

/** Declares the suite. `emptyStore` is called before each test. */
export function contentsContract(name: string, emptyStore: () => Promise<ContentsStore>): void {
  describe(`contents: ${name}`, function () {
    let store: ContentsStore;
    let contents: Contents;
    let other: Contents;
    beforeEach(async () => {
      store = await emptyStore();
      [contents, other] = [await store.open(), await store.open()];
    });
    afterEach(async () => {
      await Promise.all([contents.close(), other.close()]);
      await store.remove();
    });

    const [a, b] = [contentOf('"no card"'), contentOf('"no stock"')];
    const textsOf = async (...wanted: Content[]) =>
      Object.fromEntries(await other.read(wanted.map(({ hash }) => hash)));

    it('come back as they were, to every opening, as soon as they are kept', async () => {
      const odd = contentOf(JSON.stringify({ error_message: `é \\ud800 \\u0000 ${'x'.repeat(100_000)}` }));
      await contents.keep(by('run_1'), [a, odd]);
      expect(await textsOf(a, b, odd)).to.deep.equal({ [a.hash]: a.text, [odd.hash]: odd.text });
    });

    it('are there once, whoever holds them, and go with the last who does', async () => {
      await contents.keep(by('run_1'), [a, b]);
      await other.keep(by('run_2'), [a]);
      await contents.keep(by('run_2'), [a]);
      expect(await contents.release('run_1')).to.deep.equal({ contents: 1, bytes: b.text.length });
      expect(await textsOf(a, b)).to.deep.equal({ [a.hash]: a.text });
      expect((await other.release('run_2', [b.hash])).contents).to.equal(0);
      expect((await other.release('run_2', [a.hash])).contents).to.equal(1);
      expect(await textsOf(a)).to.deep.equal({});
      expect(await contents.release('run_2')).to.deep.equal({ contents: 0, bytes: 0 });
    });

    it('count for the project that has brought them, until they go', async () => {
      const bytes = async () =>
        Object.fromEntries(await other.bytesOf(['project_1', 'project_2', 'project_3']));
      expect(await bytes()).to.deep.equal({});
      await contents.keep(by('run_1'), [a, b]);
      await other.keep(by('run_2', 'project_2'), [a]);
      await contents.keep(by('run_1'), [a]);
      const both = a.text.length + b.text.length;
      expect(await bytes()).to.deep.equal({ project_1: both });
      const c = contentOf('"no shop"');
      await other.keep(by('run_2', 'project_2'), [a, c]);
      expect(await bytes()).to.deep.equal({ project_1: both, project_2: c.text.length });
      await contents.release('run_1');
      expect(await bytes()).to.deep.equal({ project_1: a.text.length, project_2: c.text.length });
      await other.release('run_2');
      expect(await bytes()).to.deep.equal({});
    });

    it('are stored again where somebody keeps them after they went', async () => {
      await contents.keep(by('run_1'), [a]);
      await other.release('run_1');
      await contents.keep(by('run_1'), [a]);
      expect(await textsOf(a)).to.deep.equal({ [a.hash]: a.text });
    });

    it('stay where one holder lets them go while another begins to hold them', async () => {
      for (let n = 0; n < 10; n += 1) {
        await contents.keep(by(`run_a${n}`), [a]);
        await Promise.all([contents.release(`run_a${n}`), other.keep(by(`run_b${n}`), [a])]);
        expect(await textsOf(a)).to.deep.equal({ [a.hash]: a.text });
        await other.release(`run_b${n}`);
      }
    });

    it('stay where they are kept again after they were put in question', async () => {
      await contents.keep(by('run_1'), [a, b]);
      const { id, hashes } = await other.question('run_1');
      expect(hashes.toSorted()).to.deep.equal([a.hash, b.hash].toSorted());
      // By the opening that has kept it before, which could think that it is there.
      await contents.keep(by('run_1'), [a]);
      expect((await other.release('run_1', hashes, id)).contents).to.equal(1);
      expect(await textsOf(a, b)).to.deep.equal({ [a.hash]: a.text });
    });

    it('are released by the last question alone', async () => {
      await contents.keep(by('run_1'), [a]);
      const first = await contents.question('run_1');
      const second = await other.question('run_1');
      expect((await contents.release('run_1', [a.hash], first.id)).contents).to.equal(0);
      expect((await other.release('run_1', [a.hash], second.id)).contents).to.equal(1);
      expect((await contents.question('run_1')).hashes).to.deep.equal([]);
    });

    it('are listed by their holders, a page at a time', async () => {
      await contents.keep(by('run_2'), [b]);
      await contents.keep(by('run_1'), [a, b]);
      await contents.keep(by('result_3'), [a]);
      const sorted = (page: Awaited<ReturnType<Contents['held']>>) =>
        page.map(({ hashes, ...one }) => ({ ...one, hashes: hashes.toSorted() }));
      const both = [a.hash, b.hash].toSorted();
      expect(sorted(await other.held('', 2))).to.deep.equal([
        { ...by('result_3'), hashes: [a.hash] },
        { ...by('run_1'), hashes: both },
      ]);
      expect(await other.held('run_1', 10)).to.deep.equal([{ ...by('run_2'), hashes: [b.hash] }]);
      await contents.release('run_2');
      expect(await other.held('run_1', 10)).to.deep.equal([]);
    });

    it('have the marks of results: the first one stays, unless the result is deleted', async () => {
      await contents.mark(['result_1', 'result_2'], 'redacted');
      await other.mark(['result_2', 'result_3'], 'deleted');
      await other.mark(['result_3'], 'redacted');
      expect(
        Object.fromEntries(await contents.marked(['result_1', 'result_2', 'result_3', 'result_4'])),
      ).to.deep.equal({
        result_1: 'redacted',
        result_2: 'deleted',
        result_3: 'deleted',
      });
      expect(await contents.marks('result_1', 1)).to.deep.equal([{ id: 'result_2', reason: 'deleted' }]);
      expect(await contents.marks('result_3', 10)).to.deep.equal([]);
    });
  });
}
