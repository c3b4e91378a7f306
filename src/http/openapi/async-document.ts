/** The AsyncAPI 3 document: the messages that webhooks get, and the events that readers of the replay get. */
import { loadEventSchemas } from '../../replay/event-schemas.js';
import type { ApiDocument } from './document.js';
import {
  apiSchemas,
  componentsOf,
  publicSchema,
  refTo,
  usedIn,
  type Components,
  type JsonSchema,
} from './schemas.js';

export function asyncApiDocument(version: string): ApiDocument {
  const bodies = componentsOf('messages');
  const ofWebhooks = webhookMessages(bodies);
  const data = newestEventData();
  const ofReplay = Object.fromEntries(
    Object.keys(data).map((name) => [
      name.replace(/Data$/, 'Event'),
      eventMessage(name.replace(/Data$/, '')),
    ]),
  );
  const messages = { ...ofWebhooks, ...ofReplay };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'testledger',
      version,
      description:
        'What testledger sends by itself: messages to webhooks, and events to readers of the replay.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      webhook: {
        description:
          'The URL of a webhook. Headers, signature and payload follow Standard Webhooks 1.0. A message comes at ' +
          'least once, always with the same `webhook-id`.',
        messages: refsTo('#/components/messages', Object.keys(ofWebhooks)),
      },
      replay: {
        address: '/v1/events',
        description:
          'The replay, in log order: one event a line up to the present (`application/x-ndjson`), or live as ' +
          'Server-Sent Events (`text/event-stream`), whose id is the position.',
        messages: refsTo('#/components/messages', Object.keys(ofReplay)),
      },
    },
    operations: {
      sendToWebhook: sending('webhook', 'Sends a message to a webhook', Object.keys(ofWebhooks)),
      sendToReader: sending('replay', 'Sends an event to a reader of the replay', Object.keys(ofReplay)),
    },
    components: {
      messages,
      schemas: usedIn(messages, { ...apiSchemas(), ...bodies, ...data }),
    },
  };
}

/** Each body has the type of its message as a constant; other schemas of `schemas/messages/` are parts of them. */
function webhookMessages(schemas: Components): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, { properties }]) => {
      const type = (properties as { type?: { const: string } }).type?.const;
      if (type === undefined) return [];
      return [
        [
          name,
          { name: type, contentType: 'application/json', headers: webhookHeaders, payload: refTo(name) },
        ],
      ];
    }),
  );
}

const webhookHeaders = {
  type: 'object',
  properties: {
    'webhook-id': { type: 'string', description: 'The id of the message, the same at every attempt' },
    'webhook-timestamp': { type: 'string', pattern: '^[0-9]+$', description: 'The second of the attempt' },
    'webhook-signature': {
      type: 'string',
      description: 'One signature (`v1,…`) for each valid secret, with a blank between them',
    },
  },
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
};

function eventMessage(type: string): JsonSchema {
  const data = refTo(`${type}Data`);
  return {
    name: type,
    contentType: 'application/json',
    payload: {
      allOf: [refTo('Event'), { type: 'object', properties: { type: { const: type }, data } }],
    },
  };
}

/** The schema of the data of each type of event, in its newest version, by its name as a component. */
function newestEventData(): Record<string, JsonSchema> {
  const schemas = loadEventSchemas();
  const newest: Record<string, JsonSchema> = {};
  // The versions of a type ascend.
  for (const { name, type } of schemas.index)
    newest[`${type}Data`] = publicSchema(schemas.get(name)) as JsonSchema;
  return newest;
}

function sending(channel: string, summary: string, messages: readonly string[]): JsonSchema {
  const from = `#/channels/${channel}`;
  const refs = Object.values(refsTo(`${from}/messages`, messages));
  return { action: 'send', channel: { $ref: from }, summary, messages: refs };
}

function refsTo(place: string, names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `${place}/${name}` }]));
}
