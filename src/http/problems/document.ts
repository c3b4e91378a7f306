/** A short text with headings, paragraphs and tables, written as Markdown or as an HTML page. */
import { createHash } from 'node:crypto';

/** In every text `code` and [links](/path) are Markdown, and all else is plain. */
export type Block =
  | { heading: string; level: 1 | 2 }
  | { paragraph: string }
  | { columns: readonly string[]; rows: readonly (readonly string[])[] };

export function toMarkdown(blocks: readonly Block[]): string {
  return `${blocks.map(markdownOf).join('\n\n')}\n`;
}

function markdownOf(block: Block): string {
  if ('heading' in block) return `${'#'.repeat(block.level)} ${block.heading}`;
  if ('paragraph' in block) return block.paragraph;
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(block.columns), line(block.columns.map(() => '---')), ...block.rows.map(line)].join('\n');
}

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}' +
  'table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0}' +
  // On a phone each cell is a line, which begins with the name of its column.
  '@media(max-width:70rem){th{display:none}tr,td{display:block}td:not(:empty)::before{content:attr(data-column)": "}' +
  'tr+tr{padding:.75rem 0;border-top:1px solid}}' +
  ':root{color-scheme:light dark}';

/** The content policy of a page: its own style, and nothing else. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function toHtml(title: string, blocks: readonly Block[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${blocks.map(htmlOf).join('\n')}
</main>
</body>
</html>
`;
}

function htmlOf(block: Block): string {
  if ('heading' in block) return `<h${block.level}>${inline(block.heading)}</h${block.level}>`;
  if ('paragraph' in block) return `<p>${inline(block.paragraph)}</p>`;
  const { columns, rows } = block;
  const head = columns.map((column) => `<th>${inline(column)}</th>`);
  const names = columns.map((column) => escaped(column.replaceAll('`', '')));
  const cellsOf = (row: readonly string[]) =>
    row.map((cell, n) => `<td data-column="${names[n]}">${inline(cell)}</td>`);
  const lines = [head, ...rows.map(cellsOf)].map((cells) => `<tr>${cells.join('')}</tr>`);
  return `<table>\n${lines.join('\n')}\n</table>`;
}

function inline(text: string): string {
  return escaped(text)
    .replaceAll(/\[([^\]]+)\]\((\/[^)\s]*)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
