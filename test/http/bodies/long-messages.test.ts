import { expect } from 'chai';
import { withRoomForMessages } from '../../../src/http/bodies/long-messages.js';
import { limits } from '../../../src/limits.js';

describe('a page of results with long error messages', () => {
  const result = (message: unknown, more: object = {}) => ({
    id: 1,
    metadata: { error: { message, ...more } },
  });
  const long = 'x'.repeat(limits.longErrorMessageBytes);
  const most = Math.floor(limits.messagesPerPageBytes / limits.longErrorMessageBytes);

  it('is as it was while they have room together, however large the metadata are', () => {
    const page = Array.from({ length: most }, () => result(long));
    expect(withRoomForMessages(page)).to.deep.equal(page);
    const others = Array.from({ length: 100 }, () => result('x'.repeat(limits.metadataBytes)));
    expect(withRoomForMessages(others)).to.deep.equal(others);
    const none = [
      { metadata: null },
      result(null),
      { metadata: { error: 'x' } },
      { metadata: { error: [1] } },
    ];
    expect(withRoomForMessages(none)).to.deep.equal(none);
  });

  it('has the later ones cut in their middle, beside all that else is known of the error', () => {
    const page = Array.from({ length: 100 }, () => result(long, { type: 'E' }));
    const shown = withRoomForMessages(page);
    expect(shown.slice(0, most)).to.deep.equal(page.slice(0, most));
    for (const { id, metadata } of shown.slice(most)) {
      expect([id, metadata.error]).to.deep.include.members([1]);
      expect(metadata.error).to.include({ type: 'E' });
      expect(metadata.error.message).to.match(/^x+\n\[… \d+ characters left out …\]\nx+$/);
    }
    expect(JSON.stringify(shown).length).to.be.below(9 * 1_024 * 1_024);
    expect(page[99]).to.deep.equal(result(long, { type: 'E' }));
  });
});
