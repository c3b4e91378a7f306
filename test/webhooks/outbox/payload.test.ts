import { expect } from 'chai';
import * as fc from 'fast-check';
import { payloadOf } from '../../../src/webhooks/outbox/payload.js';

const AT = '2026-11-21T12:00:00.000Z';
const ofBytes = (bytes: number) => ({ text: 'x'.repeat(bytes) });
const read = (body: string) => JSON.parse(body) as { type: string; timestamp: string; data: Data };
type Data = Record<string, { metadata: unknown } | null> & { metadata_omitted?: string[] };

describe('the payload of a message', () => {
  it('is type, timestamp and data, unchanged', () => {
    const data = { result: { metadata: { a: [1, null] } }, run: null };
    expect(read(payloadOf('test.failed', AT, data))).to.deep.equal({
      type: 'test.failed',
      timestamp: AT,
      data,
    });
  });

  it('loses nothing up to 20,000 bytes; with one more it loses its largest metadata, and says so', () => {
    const withBytes = (bytes: number) => ({
      result: { metadata: ofBytes(bytes) },
      run: { metadata: { a: 1 } },
    });
    const rest = Buffer.byteLength(payloadOf('test.failed', AT, withBytes(0)));
    expect(payloadOf('test.failed', AT, withBytes(20_000 - rest))).to.have.length(20_000);
    expect(read(payloadOf('test.failed', AT, withBytes(20_001 - rest))).data).to.deep.equal({
      result: { metadata: null },
      run: { metadata: { a: 1 } },
      metadata_omitted: ['/data/result/metadata'],
    });
  });

  it('loses no more metadata than necessary, the largest first', () => {
    const data = {
      result: { metadata: ofBytes(9_000) },
      run: { metadata: ofBytes(60_000) },
      failure: { metadata: ofBytes(30_000) },
      project: { name: 'Shop' },
    };
    expect(read(payloadOf('test.recovered', AT, data)).data).to.deep.equal({
      ...data,
      run: { metadata: null },
      failure: { metadata: null },
      metadata_omitted: ['/data/run/metadata', '/data/failure/metadata'],
    });
  });

  it('never has more than 20,000 bytes of UTF-8', () => {
    const metadata = fc.option(
      fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 12_000, size: 'max' }) }),
    );
    fc.assert(
      fc.property(metadata, metadata, (one, other) => {
        const body = payloadOf('test.failed', AT, { result: { metadata: one }, run: { metadata: other } });
        expect(Buffer.byteLength(body)).to.be.at.most(20_000);
        const { data } = read(body);
        const kept = ({ metadata: value }: { metadata: unknown }, name: string) =>
          data.metadata_omitted?.includes(`/data/${name}/metadata`) === true ? null : value;
        expect(data['result']?.metadata).to.deep.equal(kept({ metadata: one }, 'result'));
        expect(data['run']?.metadata).to.deep.equal(kept({ metadata: other }, 'run'));
      }),
      { numRuns: 50 },
    );
  });
});
