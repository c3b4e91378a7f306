/** Texts of reports in Markdown: none of their characters is markup, and no text ends the block that it stands in. */
import { asMarkdown } from '../../domain/text/harmless.js';
import { withoutAnsi } from '../parts/ansi.js';
import { cut } from './short.js';
import { TEXT_BYTES } from './text-page.js';

/** One line, cut, with its signs escaped. */
export function inline(text: string, most = 200): string {
  return asMarkdown(cut(withoutAnsi(text).replace(/\s+/g, ' ').trim(), most));
}

/** A block of code, whose fence is longer than any in the text. */
export function fenced(text: string, most: number, language = ''): string {
  const plain = cut(withoutAnsi(text).trimEnd(), most);
  const longest = Math.max(2, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${plain}\n${fence}`;
}

/** The parts from the first on that fit. A part is never cut. */
export function withinBytes(parts: readonly string[], most = TEXT_BYTES): string {
  let text = '';
  for (const part of parts) {
    if (part === '') continue;
    const next = text === '' ? part : `${text}\n\n${part}`;
    if (Buffer.byteLength(next) + 1 > most) continue;
    text = next;
  }
  return `${text}\n`;
}
