/**
 * A message as incoming webhooks and workflows of Microsoft Teams take it: an Adaptive Card of `RichTextBlock`s, whose texts have
 * no Markdown (https://adaptivecards.io/explorer/RichTextBlock.html).
 */
import type { ChatMessage, Line, Span } from './chat-message.js';

/** The first version that has all that the card uses. */
const VERSION = '1.2';

export function teamsBody({ title }: ChatMessage, lines: readonly Line[], items: readonly Line[]) {
  const card = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: VERSION,
    body: [
      block([{ ...run(title), size: 'Medium', weight: 'Bolder' }]),
      ...lines.map((line) => block(line.map(run))),
      ...items.map((line) => block([{ type: 'TextRun', text: '• ' }, ...line.map(run)])),
    ],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, content: card }] };
}

function block(inlines: readonly object[]): object {
  return { type: 'RichTextBlock', inlines };
}

function run({ text, url }: Span): object {
  const selectAction = { type: 'Action.OpenUrl', url };
  return { type: 'TextRun', text, ...(url !== undefined && { selectAction }) };
}
