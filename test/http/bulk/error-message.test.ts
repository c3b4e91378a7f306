import { expect } from 'chai';
import fc from 'fast-check';
import { splitErrorMessage } from '../../../src/http/bulk/error-message.js';
import { limits } from '../../../src/limits.js';
import { jsonFault } from '../../../src/validation/json-limits.js';

const SHOWN = limits.errorMessageLength;
const METADATA = limits.metadataBytes;
const within = { maxBytes: METADATA, maxDepth: limits.metadataLevels, maxValues: limits.metadataValues };

describe('the error message of a submitted item', () => {
  const split = (error_message: string | null, metadata: Record<string, unknown> | null = null) =>
    splitErrorMessage({ error_message, metadata });

  it('stays as it is up to the limit, in characters and not in UTF-16 units', () => {
    for (const message of [null, '', 'short', 'x'.repeat(SHOWN), '😀'.repeat(SHOWN)]) {
      for (const metadata of [null, { error: 'mine' }, {}]) {
        expect(split(message, metadata)).to.deep.equal({ error_message: message, metadata });
      }
    }
  });

  it('is whole in metadata.error.message if it is longer, and its first characters are shown', () => {
    const long = `${'line\n'.repeat(1_000)}the end`;
    expect(split(long)).to.deep.equal({
      error_message: long.slice(0, SHOWN),
      metadata: { error: { message: long } },
    });
    expect(split('x'.repeat(SHOWN + 1)).error_message).to.equal('x'.repeat(SHOWN));
  });

  it('keeps the metadata that were sent, and the other fields of their error', () => {
    const long = 'x'.repeat(5_000);
    const metadata = JSON.parse('{"__proto__":{"a":1},"branch":"main","error":{"type":"E","message":null}}');
    const kept = split(long, metadata).metadata!;
    const expected = { ...metadata, error: { type: 'E', message: long } };
    expect(JSON.stringify(kept)).to.equal(JSON.stringify(expected));
    expect(Object.keys(kept)).to.deep.equal(['__proto__', 'branch', 'error']);
    expect(split(long, { error: null }).metadata).to.deep.equal({ error: { message: long } });
  });

  it('leaves metadata alone whose error is another thing, or has a message of its own', () => {
    for (const error of [
      'AssertionError',
      7,
      true,
      [],
      [{ message: 'mine' }],
      { message: 'mine' },
      { message: '' },
    ]) {
      const metadata = { error };
      const { error_message, metadata: kept } = split('x'.repeat(5_000), metadata);
      expect(error_message).to.equal('x'.repeat(SHOWN));
      expect(kept).to.deep.equal(metadata);
    }
  });

  it('fills the limit of metadata to the byte, and says that it is cut', () => {
    for (const metadata of [null, { file: 'a.py' }, { error: { type: 'E' } }]) {
      const { metadata: kept } = split('x'.repeat(100_000), metadata) as { metadata: any };
      expect(Buffer.byteLength(JSON.stringify(kept))).to.equal(METADATA);
      expect(kept.error.truncated).to.equal(true);
      expect(kept).to.deep.include({ ...metadata, error: kept.error });
    }
  });

  it('is whole without a mark where it just fits', () => {
    const around = JSON.stringify({ error: { message: '' } }).length;
    const whole = 'x'.repeat(METADATA - around);
    expect(split(whole).metadata).to.deep.equal({ error: { message: whole } });
    const cut = split(`${whole}x`).metadata as any;
    expect(cut.error.truncated).to.equal(true);
  });

  it('leaves metadata alone that have no room for more than the shown characters', () => {
    const full = { log: 'x'.repeat(METADATA - 600) };
    expect(split('y'.repeat(5_000), full).metadata).to.deep.equal(full);
    const almost = { log: 'x'.repeat(METADATA - 2_000) };
    expect((split('y'.repeat(5_000), almost).metadata as any).error.message.length).to.be.within(
      SHOWN + 1,
      2_000,
    );
  });

  it('keeps metadata as they were sent when they have as many values as they may', () => {
    const values = Array.from({ length: limits.metadataValues - 1 }, () => 1);
    expect(split('z'.repeat(5_000), { values }).metadata).to.deep.equal({ values });
  });

  it('never divides a character, and never breaks the limits, whatever the texts', () => {
    const piece = fc.constantFrom('x', '"', '\\', '\n', '\u0001', 'é', '\u2028', '漢', '😀');
    const text = fc.array(piece, { minLength: 1, maxLength: 20 }).chain((pieces) =>
      fc.integer({ min: 1, max: 80_000 }).map((length) => {
        const once = pieces.join('');
        return Array.from(once.repeat(Math.ceil(length / pieces.length)))
          .slice(0, length)
          .join('');
      }),
    );
    const metadata = fc.option(fc.record({ log: fc.nat(METADATA - 20).map((n) => 'x'.repeat(n)) }));
    fc.assert(
      fc.property(text, metadata, (message, sent) => {
        const { error_message, metadata: kept } = split(message, sent);
        expect(Array.from(error_message!).length).to.equal(Math.min(SHOWN, Array.from(message).length));
        expect(message.startsWith(error_message!)).to.equal(true);
        expect(error_message!.isWellFormed()).to.equal(true);
        if (kept === null) return;
        expect(jsonFault(kept, within)).to.equal(null);
        const { message: whole, truncated } = (kept as any).error ?? {};
        if (whole === undefined) return;
        expect(message.startsWith(whole)).to.equal(true);
        expect(whole.length > error_message!.length).to.equal(true);
        expect(truncated).to.equal(whole === message ? undefined : true);
        // No further character would fit.
        const next = Array.from(message.slice(whole.length))[0];
        const longer = { ...kept, error: { message: whole + next, truncated: true } };
        if (truncated === true) expect(jsonFault(longer, within)).to.not.equal(null);
      }),
      { numRuns: 200 },
    );
  });
});
