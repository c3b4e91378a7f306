/** How a summary is written: as Markdown with the HTML that GitHub and GitLab show, or as Markdown alone. */
import { asCodeLines, asHtml, asMarkdown } from '../../domain/text/harmless.js';

export const summaryFormats = ['github', 'gitlab', 'markdown'] as const;
export type SummaryFormat = (typeof summaryFormats)[number];

/** Every function takes text as it is, and escapes it. */
export type Markup = {
  /** A text on one line. */
  inline(text: string): string;
  /** A name of a program: a test, a branch, a commit. */
  code(text: string): string;
  /** Some lines as they are. */
  lines(text: string): string;
  /** `content` is markup already. */
  folded(title: string, content: string): string;
  /** `url` is a checked address. */
  link(text: string, url: string): string;
};

export function markupOf(format: SummaryFormat): Markup {
  switch (format) {
    case 'github':
    case 'gitlab':
      return withHtml;
    case 'markdown':
      return plain;
  }
}

const withHtml: Markup = {
  inline: asHtml,
  // Neither of the two looks for mentions and references inside `code` and `pre`.
  code: (text) => `<code>${asHtml(text)}</code>`,
  lines: (text) => `<pre>${asHtml(text)}</pre>`,
  folded: (title, content) => `<details><summary>${asHtml(title)}</summary>\n\n${content}\n\n</details>`,
  link: (text, url) => `<a href="${url.replaceAll('&', '&amp;')}">${asHtml(text)}</a>`,
};

const plain: Markup = {
  inline: asMarkdown,
  code: asMarkdown,
  // Four spaces make code of a line, whatever is in it.
  lines: asCodeLines,
  folded: (title, content) => `${asMarkdown(title)}\n\n${content}`,
  link: (text, url) => `[${asMarkdown(text)}](<${url}>)`,
};
