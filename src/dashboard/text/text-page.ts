/** Pages as text, for scripts and agents: `.md` and `.json` behind the path of a page. Small, the most important first. */
import { counted } from '../../domain/text/amounts.js';
import { fit, leftOutWords, type Section } from '../../domain/text/fit.js';
import { asCodeLines, asMarkdown, firstLines, onOneLine } from '../../domain/text/harmless.js';
import type { Text } from '../page.js';
import { withoutAnsi } from '../parts/texts/ansi.js';
import { cut } from './short.js';

/** What a page as text has at most, in bytes of UTF-8; 480 more are for its position. */
export const TEXT_BYTES = 20_000;

export type Format = 'html' | 'md' | 'json';

/** Parts the last segment of a path: `run_1.md` asks for `run_1` as Markdown. Ids have no dot. */
export function formatOf(segment: string): { id: string; format: Format } {
  const [, id, format] = /^(.*)\.(md|json)$/su.exec(segment) ?? [];
  return id === undefined ? { id: segment, format: 'html' } : { id, format: format as Format };
}

/**
 * A page in Markdown. The head and all items are Markdown already (`inMarkdown`, `codeInMarkdown`). Items that do not
 * fit are counted in the last line, with the address of the page that has them.
 */
export function markdownPage(head: string, sections: readonly Section[], address: string): Text {
  const text = fit(head, sections, {
    bytes: TEXT_BYTES,
    leftOut: (missing) => `${leftOutWords(missing)} All of it: <${address}>`,
  });
  return { type: 'text/markdown', text };
}

/**
 * A page in JSON. Where it would be too long, the lists named by `lists` lose items from their ends, the last list
 * first; `left_out` says how many of each.
 */
export function jsonPage(content: Readonly<Record<string, unknown>>, lists: readonly string[]): Text {
  const shown: Record<string, unknown> = { ...content };
  const left_out: Record<string, number> = {};
  let size = bytesOf({ ...shown, left_out });
  for (const name of lists.toReversed()) {
    const items = [...((shown[name] as readonly unknown[] | undefined) ?? [])];
    // Room for the counts themselves.
    while (size > TEXT_BYTES - 100 * lists.length && items.length > 0) {
      size -= bytesOf(items.pop()) + 1;
      left_out[name] = (left_out[name] ?? 0) + 1;
    }
    if (left_out[name] !== undefined) shown[name] = items;
  }
  const text = JSON.stringify(Object.keys(left_out).length === 0 ? shown : { ...shown, left_out });
  return { type: 'application/json', text: `${text}\n` };
}

/** A page with how far the read models were when it was read: what it shows is at least as new. */
export function withPosition({ type, text }: Text, position: string): Text {
  if (type === 'text/markdown') return { type, text: `${text.trimEnd()}\n\nPosition: ${position}\n` };
  return { type, text: `{"position":${JSON.stringify(position)},${text.slice(1)}` };
}

/**
 * JSON that fits. Texts are cut to 2,000 characters, and to 1,000 where that is not enough; then lists lose items from
 * their ends, the last list first; then texts are cut further. `left_out` says how many items of each list are missing.
 */
export function jsonWithin(head: object, lists: Readonly<Record<string, readonly unknown[]>>): string {
  const left = Object.fromEntries(Object.entries(lists).map(([name, items]) => [name, [...items]]));
  const names = Object.keys(left).toReversed();
  let most = 2_000;
  for (;;) {
    const left_out = Object.fromEntries(
      names.flatMap((name) => {
        const missing = lists[name]!.length - left[name]!.length;
        return missing === 0 ? [] : [[name, missing]];
      }),
    );
    const told = Object.keys(left_out).length === 0 ? {} : { left_out };
    const text = `${JSON.stringify({ ...head, ...left, ...told }, (_, value: unknown) => (typeof value === 'string' ? cut(value, most) : value))}\n`;
    if (Buffer.byteLength(text) <= TEXT_BYTES) return text;
    const name = names.find((each) => left[each]!.length > 0);
    if (name === undefined || most > 1_000) most /= 2;
    else left[name]!.splice(-Math.max(1, Math.ceil(left[name]!.length / 8)));
  }
}

/** A text of a report on one line of Markdown: none of its characters is markup. */
export function inMarkdown(text: string, length = 300): string {
  return asMarkdown(onOneLine(text, length));
}

/** The first lines of a report as code. */
export function codeInMarkdown(text: string): string {
  return asCodeLines(firstLines(text, { lines: 12, length: 1_200 }));
}

/** A block of code, whose fence is longer than any in the text. */
export function fenced(text: string, most: number, language = ''): string {
  const plain = cut(withoutAnsi(text).trimEnd(), most);
  const longest = Math.max(2, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${plain}\n${fence}`;
}

/**
 * The parts that fit. A part is never cut; the last line counts those that are missing, with the address of the page
 * that has them.
 */
export function withinBytes(parts: readonly string[], address: string): string {
  const tail = (count: number) =>
    `Left out here: ${counted(count, 'section', 'sections')}. All of it: ${address}`;
  const room = TEXT_BYTES - Buffer.byteLength(tail(parts.length)) - 3;
  let text = '';
  let missing = 0;
  for (const part of parts) {
    const next = [text, part].filter(Boolean).join('\n\n');
    if (Buffer.byteLength(next) <= room) text = next;
    else missing += 1;
  }
  return `${[text, ...(missing === 0 ? [] : [tail(missing)])].join('\n\n')}\n`;
}

/** The first items as a list; the last line counts the others. */
export function listWithin<T>(items: readonly T[], most: number, show: (item: T) => string): string {
  const lines = items.slice(0, most).map((item) => `- ${show(item)}`);
  return [...lines, ...(items.length > most ? [`- and ${items.length - most} more`] : [])].join('\n');
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
