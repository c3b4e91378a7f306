import { expect } from 'chai';
import { readBody } from '../../src/client/read-body.js';

const tooLarge = (): never => {
  throw new Error('too large');
};

describe('the body of an answer', () => {
  it('is read whole up to its bound', async () => {
    expect((await readBody(new Response('12345'), 5, tooLarge)).toString()).to.equal('12345');
    expect(await readBody(new Response(null), 5, tooLarge)).to.have.length(0);
  });

  it('is not read on beyond its bound, however long it goes on', async () => {
    let pulls = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulls += 1;
        controller.enqueue(new Uint8Array(1_000));
      },
    });
    const error = await readBody(new Response(endless), 5_000, tooLarge).catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message', 'too large');
    expect(pulls).to.be.below(10);
  });
});
