import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from '../../../src/webhooks/delivery/attempt.js';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe('the signature of a message', () => {
  const [former, present, other] = [newSecret(), newSecret(), newSecret()];
  const body = '{"type":"test.failed","text":"ü"}';
  /** For now: a verification refuses a message that is minutes old. */
  const sentNow = () => ({ id: 'event_1', at: new Date(), body });

  it('is verified with any of the secrets, and with no other', () => {
    const message = sentNow();
    const headers = signedHeaders([present, former], message);
    for (const secret of [present, former]) {
      expect(new Webhook(secret).verify(message.body, headers)).to.deep.equal(JSON.parse(message.body));
    }
    expect(() => new Webhook(other).verify(message.body, headers)).to.throw('No matching signature');
    expect(() => new Webhook(present).verify(`${message.body} `, headers)).to.throw('No matching signature');
  });

  it('has the newest secret first, for the id of the event and the time of the attempt', () => {
    const message = sentNow();
    const headers = signedHeaders([present, former], message);
    const [first, second, ...more] = headers['webhook-signature']!.split(' ');
    expect([first, second]).to.deep.equal(
      [present, former].map((secret) => new Webhook(secret).sign(message.id, message.at, message.body)),
    );
    expect(more).to.deep.equal([]);
    expect(headers['webhook-id']).to.equal('event_1');
    expect(headers['webhook-timestamp']).to.equal(String(Math.floor(message.at.getTime() / 1_000)));
  });
});
