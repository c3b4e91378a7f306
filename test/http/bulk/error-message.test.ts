import { expect } from 'chai';
import { splitErrorMessage } from '../../../src/http/bulk/error-message.js';
import { limits } from '../../../src/limits.js';
import { loadSchemas } from '../../../src/validation/schemas.js';

const SHOWN = limits.errorMessageLength;
const LONGEST = limits.longErrorMessageBytes;

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

  it('is whole up to 256 KiB, however full the metadata are, and cut in its middle beyond it', () => {
    const log = 'x'.repeat(limits.metadataBytes - 10);
    const values = Array.from({ length: limits.metadataValues - 2 }, () => 1);
    for (const metadata of [null, { log }, { values }]) {
      const whole = 'y'.repeat(LONGEST);
      expect(split(whole, metadata).metadata).to.deep.equal({ ...metadata, error: { message: whole } });
      const { message } = split(`begin${whole}end`, metadata).metadata!['error'] as { message: string };
      expect(message).to.match(/^beginy+\n\[… \d+ characters left out …\]\ny+end$/);
      expect(Buffer.byteLength(JSON.stringify(message)) - 2).to.be.within(LONGEST - 20, LONGEST);
    }
  });

  it('fits into the event, with the largest metadata that may be sent', () => {
    const metadata = { a: 'x'.repeat(limits.metadataBytes - '{"a":""}'.length) };
    const data = {
      result_id: 'r',
      project_id: 'p',
      run_id: 'r',
      test_name: 'it works',
      status: 'Failed',
      started_at: null,
      finished_at: null,
      execution_time_ms: null,
      attempt: 1,
      superseded_by: null,
      supersedes: [],
      run_branch: null,
      run_commit: null,
    };
    const schemas = loadSchemas('events');
    for (const point of ['z', '"', '\u0001', '漢', '😀']) {
      const event = { ...data, ...split(point.repeat(300_000), metadata) };
      expect(schemas.get('ResultSubmitted.v1')!.check(event)).to.deep.equal([]);
    }
    const tooLarge = { ...data, error_message: null, metadata: { a: 'x'.repeat(330_000) } };
    expect(schemas.get('ResultSubmitted.v1')!.check(tooLarge)).to.not.deep.equal([]);
  });
});
