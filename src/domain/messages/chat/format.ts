/** In which form a webhook gets its messages: as they are, or as an endpoint of a chat takes them. */
import { invalid } from '../../../errors.js';
import type { Per } from '../per.js';

export const formats = ['standard', 'slack', 'teams'] as const;
export type Format = (typeof formats)[number];
export type ChatFormat = Exclude<Format, 'standard'>;

export function isChat(format: Format): format is ChatFormat {
  return format !== 'standard';
}

/** What a new webhook gets a message of where nobody says it: 5,000 messages about 12 causes would fill a chat. */
export function defaultPer(format: Format): Per {
  return isChat(format) ? 'group' : 'test';
}

/** `isSure`: the host takes nothing else. Others belong to services that do more than chats. */
type ChatHost = { pattern: RegExp; format: ChatFormat; name: string; isSure: boolean };

const hosts: readonly ChatHost[] = [
  { pattern: /^hooks\.slack(-gov)?\.com$/, format: 'slack', name: 'Slack', isSure: true },
  { pattern: /\.webhook\.office\.com$/, format: 'teams', name: 'Microsoft Teams', isSure: true },
  { pattern: /\.logic\.azure\.com$/, format: 'teams', name: 'Microsoft Teams', isSure: false },
  { pattern: /\.api\.powerplatform\.com$/, format: 'teams', name: 'Microsoft Teams', isSure: false },
];

/** The chat whose host a URL names; null where it names none. */
export function chatHostOf(url: string): ChatHost | null {
  if (!URL.canParse(url)) return null;
  const host = new URL(url).hostname.replace(/\.$/, '');
  return hosts.find(({ pattern }) => pattern.test(host)) ?? null;
}

/**
 * Whether messages in this form can be sent to the URL. `origin`: the address of this server, to which they link.
 * @throws AppError `validation_failed` that names the field
 */
export function mustFit({ url, format }: { url: string; format: Format }, origin: string | null): void {
  const host = chatHostOf(url);
  if (host?.isSure === true && host.format !== format) {
    const detail = `must be ${host.format}: this URL is of ${host.name}, which takes nothing else`;
    invalid('/format', 'chat_host', detail);
  }
  if (isChat(format) && origin === null) {
    const detail = `must be standard here: messages to a chat are links to this server, which needs PUBLIC_URL`;
    invalid('/format', 'needs_public_url', detail);
  }
}
