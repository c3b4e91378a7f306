/** Fixed bodies: a later field in an HTTP answer must not change the bytes that a webhook was promised. */
import { expect } from 'chai';
import type { MessageType } from '../../../src/domain/messages/message-types.js';
import { openRenderer } from '../../../src/webhooks/outbox/payload.js';
import { plainContents } from '../../plain-contents.js';
import { goldenOfFirstTypes } from './golden/first-types.js';
import { goldenOfLaterTypes } from './golden/later-types.js';
import { events, type Golden } from './golden/story.js';
import { openMemoryLog } from './memory-log.js';

const golden: Record<MessageType, Golden> = { ...goldenOfFirstTypes, ...goldenOfLaterTypes };

describe('the body of a message', () => {
  for (const [type, { message: document, body }] of Object.entries(golden)) {
    it(`of type ${type} has the promised bytes`, async () => {
      const [rendered] = await openRenderer(openMemoryLog(events), plainContents)([document]);
      expect(rendered!.body).to.equal(body);
    });
  }
});
