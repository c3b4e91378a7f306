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

/** The colours, type and frames of the dashboard, without its files: who reads the page may not have signed in. */
const STYLE =
  ':root{color-scheme:light dark;--line:light-dark(#dde1e7,#2c333c);--soft:light-dark(#555f6d,#9aa5b3);' +
  'background:light-dark(#f7f8fa,#111417);color:light-dark(#1b2027,#e4e8ed);font:15px/1.5 system-ui,sans-serif}' +
  'body{max-width:76rem;margin:0 auto;padding:1.5rem 1.25rem 5rem;overflow-wrap:anywhere}' +
  'h1{font-size:1.45rem;line-height:1.3}h1 code{font-size:1em}h2{margin-top:2rem;font-size:1.05rem}' +
  'a{color:light-dark(#0b57c2,#79b0ff);text-underline-offset:.2em}code{font:.9em/1.5 ui-monospace,Menlo,Consolas,monospace}' +
  'p{max-width:60rem}table{width:100%;border-spacing:0;background:light-dark(#fff,#191d22);border:1px solid var(--line);border-radius:8px}' +
  'th{color:var(--soft);font-size:.8rem;font-weight:500}th,td{text-align:left;vertical-align:top;padding:.45rem .9rem}' +
  'td{border-top:1px solid var(--line);overflow-wrap:break-word}td code{font-size:.8rem}' +
  // On a phone each cell is a line, which begins with the name of its column.
  '@media(max-width:70rem){th{display:none}tr,td{display:block}tr{padding:.5rem 0}tr+tr{border-top:1px solid var(--line)}' +
  'td{border:0;padding:.1rem .9rem;overflow-wrap:anywhere}td:first-child{font-weight:600}' +
  'td:not(:first-child,:empty)::before{content:attr(data-column)": ";color:var(--soft)}}';

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
