/**
 * What an incoming webhook of Slack takes, as far as our messages use it. Written from the types and the limits of
 * `@slack/types` 3.2.0 (`RichTextBlock` and its elements in `block-kit/blocks.d.ts`) and from
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and
 * https://docs.slack.dev/reference/block-kit/blocks: at most 50 blocks, a URL of at most 3,000 characters.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';

const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = { type: 'string', minLength: 1 };
const style = closed({ bold: { type: 'boolean' }, italic: { type: 'boolean' } }, []);
const inline = {
  oneOf: [
    closed({ type: { const: 'text' }, text, style }, ['type', 'text']),
    closed({ type: { const: 'link' }, url: { ...text, format: 'uri', maxLength: 3_000 }, text, style }, [
      'type',
      'url',
    ]),
  ],
};
const section = closed({
  type: { const: 'rich_text_section' },
  elements: { type: 'array', minItems: 1, items: inline },
});
const list = closed({
  type: { const: 'rich_text_list' },
  style: { enum: ['bullet', 'ordered'] },
  elements: { type: 'array', minItems: 1, items: section },
});
const richText = closed({
  type: { const: 'rich_text' },
  elements: { type: 'array', minItems: 1, items: { oneOf: [section, list] } },
});

const ajv = new Ajv2020({
  formats: { uri: (url: string) => URL.canParse(url) },
});
const holds = ajv.compile(
  closed({
    text: { type: 'string', minLength: 1, maxLength: 40_000 },
    unfurl_links: { type: 'boolean' },
    unfurl_media: { type: 'boolean' },
    blocks: { type: 'array', minItems: 1, maxItems: 50, items: richText },
  }),
);

/** What of a body Slack would refuse. */
export function faultsForSlack(body: unknown): string[] {
  return holds(body)
    ? []
    : (holds.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
