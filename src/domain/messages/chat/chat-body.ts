/** The body of a message for a chat, made of its payload: the same payload makes the same bytes. */
import { limits } from '../../../limits.js';
import type { MessageType } from '../message-types.js';
import { chatMessage, type ChatMessage, type Line, type Pages } from './chat-message.js';
import type { ChatFormat } from './format.js';
import { slackBody } from './slack.js';
import { teamsBody } from './teams.js';
import type { ToldData } from './words.js';

type Write = (message: ChatMessage, lines: readonly Line[], items: readonly Line[]) => object;

const write: Readonly<Record<ChatFormat, Write>> = { slack: slackBody, teams: teamsBody };

/** `payload`: as JSON, in the form `standard`. */
export function chatBody(payload: string, format: ChatFormat, pages: Pages): string {
  const { type, data } = JSON.parse(payload) as { type: MessageType; data: ToldData };
  const message = chatMessage(type, data, pages);
  const { lines, items } = message;
  // The items go first, from the last on, and then the lines. A title always fits.
  for (let left = lines.length + items.length; ; left -= 1) {
    const shown = Math.max(0, left - lines.length);
    const rest = message.rest(shown);
    const listed = [...items.slice(0, shown), ...(rest === null ? [] : [[rest]])];
    const body = JSON.stringify(write[format](message, lines.slice(0, left), listed));
    if (body.length <= limits.chatMessageLength || left === 0) return body;
  }
}
