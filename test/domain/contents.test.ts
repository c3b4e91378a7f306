import { expect } from 'chai';
import fc from 'fast-check';
import { openContentHash } from '../../src/secret-key/content-hash.js';
import {
  hasContents,
  joinContents,
  refsAfter,
  splitContents,
  type ContentRefs,
  type Texts,
} from '../../src/domain/contents.js';

const hash = openContentHash({ current: 'a secret', previous: null })('team_1');

const metadata = fc.dictionary(
  fc.constantFrom('file', 'line', 'tags', 'environment', 'branch', 'error', 'browser', '1', '__proto__'),
  fc.oneof(fc.string(), fc.jsonValue(), fc.array(fc.string(), { maxLength: 3 })),
  { noNullPrototype: true },
);
const texts = fc.record<Texts>(
  { error_message: fc.option(fc.string()), metadata: fc.option(metadata) },
  { requiredKeys: [] },
);
const asSent = (value: Texts): Texts => JSON.parse(JSON.stringify(value)) as Texts;

function stored(said: Texts) {
  const { kept, refs, contents } = splitContents(said, hash);
  const known = new Map(contents.map((each) => [each.hash, JSON.parse(each.text) as unknown]));
  return { kept, refs, contents, valueOf: (name: string) => known.get(name) };
}

describe('verdict and contents', () => {
  it('are together what the result said, to the byte, in whatever order its keys came', () => {
    fc.assert(
      fc.property(texts, (said) => {
        const { kept, refs, valueOf } = stored(asSent(said));
        const joined = refs === null ? kept : joinContents(kept, refs, valueOf);
        expect(JSON.stringify(joined)).to.equal(JSON.stringify(asSent(said)));
      }),
    );
  });

  it('leave nothing but understood keys in the event', () => {
    const verdict = {
      file: 'a.ts',
      line: 3,
      suite: 'cart',
      owner: 'ada',
      environment: { os: 'linux' },
      branch: 'main',
      commit: 'abc',
      tags: ['slow', 'smoke'],
    };
    const said = {
      error_message: 'canary',
      metadata: { browser: 'canary', ...verdict, error: { stack: 'canary' } },
    };
    const { kept, refs } = stored(said);
    expect(kept).to.deep.equal({ error_message: null, metadata: verdict });
    expect(JSON.stringify(refs)).not.to.contain('canary');
    expect(hasContents(kept)).to.equal(false);
    expect(hasContents(said)).to.equal(true);
  });

  it('count a value that is not understood as contents: it may be any text', () => {
    const odd = {
      file: ['canary'],
      line: 'canary',
      tags: [''],
      environment: { Canary: 'x' },
      commit: 'canary'.repeat(100),
    };
    expect(stored({ metadata: odd }).kept).to.deep.equal({ metadata: {} });
    expect(stored({ metadata: { tags: Array.from({ length: 21 }, String) } }).kept).to.deep.equal({
      metadata: {},
    });
    expect(stored({ metadata: { tags: ['x'.repeat(65)] } }).kept).to.deep.equal({ metadata: {} });
  });

  it('give equal failures one content, although the rest of their metadata differs', () => {
    const failed = (worker: number) =>
      stored({ error_message: 'no card', metadata: { error: { stack: 'at pay' }, worker } });
    const [one, other] = [failed(1), failed(2)];
    expect(one.refs!.error_message).to.equal(one.refs!.error);
    expect(other.refs).to.deep.include({ error_message: one.refs!.error_message, error: one.refs!.error });
    expect(other.refs!.more).not.to.equal(one.refs!.more);
  });

  it('show null where all contents are gone, and the keys of the verdict otherwise', () => {
    const shown = (said: Texts) => {
      const { kept, refs } = stored(said);
      return joinContents(kept, refs!, () => undefined);
    };
    expect(shown({ error_message: 'x', metadata: { browser: 'y' } })).to.deep.equal({
      error_message: null,
      metadata: null,
    });
    expect(shown({ metadata: { browser: 'y', file: 'a.ts', error: 1 } })).to.deep.equal({
      metadata: { file: 'a.ts' },
    });
  });

  it('follow the fields that an event sets, and leave the others as they are', () => {
    const before: ContentRefs = { error_message: 'a', error: 'a', more: 'b', order: 'mv' };
    expect(refsAfter(before, {}, undefined)).to.deep.equal(before);
    expect(refsAfter(before, { error_message: 'x' }, { error_message: 'c' })).to.deep.equal({
      ...before,
      error_message: 'c',
    });
    expect(refsAfter(before, { metadata: {} }, { more: 'd' })).to.deep.equal({
      error_message: 'a',
      more: 'd',
    });
    expect(refsAfter(before, { error_message: null, metadata: null }, undefined)).to.equal(undefined);
  });

  it('have other hashes for another team and for another key', () => {
    const of = (secret: string, team: string) =>
      openContentHash({ current: secret, previous: null })(team)('a text');
    expect(of('a', 'team_1')).to.match(/^[\w-]{22}$/);
    expect(new Set([of('a', 'team_1'), of('a', 'team_2'), of('b', 'team_1')]).size).to.equal(3);
  });

  it('have hashes that come back the same from a store of bytes', () => {
    const hashes = Array.from({ length: 200 }, (_, n) => hash(`text ${n}`));
    const back = hashes.map((each) => Buffer.from(each, 'base64url').toString('base64url'));
    expect(back).to.deep.equal(hashes);
  });
});
