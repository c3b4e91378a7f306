/**
 * A message as incoming webhooks of Slack take it: blocks of `rich_text`, whose texts have no markup, and `text`, which
 * notifications show (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block).
 */
import { asSlackText } from '../../text/harmless.js';
import type { ChatMessage, Line, Span } from './chat-message.js';

const TEXT_LENGTH = 100;

export function slackBody({ told, title }: ChatMessage, lines: readonly Line[], items: readonly Line[]) {
  const head = [{ ...element(title), style: { bold: true } }];
  const below = lines.flatMap((line) => [{ type: 'text', text: '\n' }, ...line.map(element)]);
  const list = {
    type: 'rich_text_list',
    style: 'bullet',
    elements: items.map((line) => section(line.map(element))),
  };
  return {
    text: asSlackText(told, TEXT_LENGTH),
    // Slack would ask this server for each link.
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'rich_text', elements: [section([...head, ...below]), ...(items.length === 0 ? [] : [list])] },
    ],
  };
}

function section(elements: readonly object[]): object {
  return { type: 'rich_text_section', elements };
}

function element({ text, url }: Span): object {
  return url === undefined ? { type: 'text', text } : { type: 'link', url, text };
}
