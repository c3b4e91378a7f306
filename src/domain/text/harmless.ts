/**
 * Names, messages and owners come from test reports, and so from anybody who opens a pull request. These functions make
 * them harmless for the place where they are printed.
 */
import { stripVTControlCharacters } from 'node:util';

/** Control characters but the line break, and characters that reverse or hide text for its reader. */
const UNSEEN = /(?:(?!\n)[\p{Cc}\p{Cf}\u2028\u2029])+/gu;

/** Without escape codes and unseen characters. Tabs and the like become one space. */
export function cleaned(text: string): string {
  return stripVTControlCharacters(text.replaceAll(/\r\n?/gu, '\n')).toWellFormed().replaceAll(UNSEEN, ' ');
}

/** On one line, with at most `length` characters. */
export function onOneLine(text: string, length: number): string {
  return shortened(cleaned(text).replaceAll(/\s+/gu, ' ').trim(), length);
}

/** The first lines and characters; a mark says that there were more. */
export function firstLines(text: string, { lines, length }: { lines: number; length: number }): string {
  const all = cleaned(text).trim().split('\n');
  const kept = all.slice(0, lines).join('\n').trimEnd();
  const cut = shortened(kept, length);
  return cut === kept && all.length > lines ? `${kept}\n…` : cut;
}

function shortened(text: string, length: number): string {
  // A text may have megabytes: only its beginning is spread into characters.
  const start = Array.from(text.slice(0, 2 * length + 2));
  return start.length > length ? `${start.slice(0, length - 1).join('')}…` : text;
}

/**
 * For HTML inside Markdown. Each character that either of them, a mention, a reference or a command of a CI log would
 * read becomes a character reference, which both show as the character. GitHub makes links of `www.` and of e-mail
 * addresses in `code` too. For an address it has resolved the references, but a comment ends the text that it looks at.
 */
export function asHtml(text: string): string {
  return text
    .replaceAll(/[&<>"'`*_[\]\\~|:#@!$]/gu, reference)
    .replaceAll(/^[/+=-]/gmu, reference)
    .replaceAll(/(?<=www)\./giu, reference)
    .replaceAll(/(?<=[\w.+-])&#64;/gu, '<!-- -->&#64;');
}

function reference(character: string): string {
  return `&#${character.codePointAt(0)};`;
}

/**
 * For Markdown without HTML, on one line: a backslash takes the meaning of a punctuation character (CommonMark, section
 * 2.4). Only those get one that Markdown, a mention, a formula or a link of GitHub would read, because people and agents
 * copy paths and names from the text.
 */
export function asMarkdown(text: string): string {
  return (
    text
      .replaceAll(/[\\`*[\]<~|$@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu, String.raw`\$&`)
      .replaceAll(/:(?=\/\/)|(?<=www)\./giu, String.raw`\$&`)
      // A heading, a quote, a rule, a list, a command of a CI log or of GitLab.
      .replaceAll(/^[#>+=:/-]|(?<=^\d+)[.)]/gmu, String.raw`\$&`)
      // The end of a heading.
      .replace(/(?<=\s)#+$/u, String.raw`\$&`)
  );
}

/**
 * For a title on a forge, on one line. Titles have no escapes, and GitLab makes mentions, references and links in them: a
 * space of no width behind the first character of each keeps it from that.
 */
export function asTitle(text: string, length: number): string {
  return onOneLine(text, length)
    .replaceAll('`', "'")
    .replaceAll(/[@#!$%&~:[*^](?=\S)|(?<=www)\.|(?<=[A-Z])-(?=\d)/giu, '$&\u200B');
}

/**
 * For a chat, where it stands as a text that has no markup. Programs still make links of addresses, and Microsoft Teams makes
 * dates of `{{DATE(…)}}`: a space of no width behind the first character of each keeps them from that.
 */
export function asChatText(text: string, length: number): string {
  return onOneLine(text, length).replaceAll(
    /[<@#](?=\S)|\{(?=\{)|\](?=\()|:(?=\/\/)|(?<=www)\.|(?<=mailto|tel):/giu,
    '$&\u200B',
  );
}

/**
 * For a text of Slack that has markup, on one line and not at its beginning. Slack has no escapes but for three characters: the
 * others become ones that look like them.
 */
export function asSlackText(text: string, length: number): string {
  return onOneLine(text, length)
    .replaceAll(/[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (sign) => lookalikes[sign]!)
    .replaceAll(/[@#:](?=\S)|(?<=\w)\.(?=\w)/gu, '$&\u200B')
    .replaceAll(/[&<>]/gu, (sign) => slackEntities[sign]!);
}

const lookalikes: Readonly<Record<string, string>> = { '*': '∗', '~': '∼', '`': '′', _: 'ˍ' };
/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const slackEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * For lines of Markdown code, which have no escapes. A job may print them into its log, where GitHub takes the spaces before
 * `::…` away and runs it as a command.
 */
export function asCodeLines(text: string): string {
  return withoutCommands(text)
    .replaceAll(/^(\s*):(?=:)/gmu, '$1: ')
    .replaceAll(/^/gmu, '    ');
}

/**
 * For a line of a CI log. GitHub and Azure run `##[…]` and `##vso[…]` wherever they stand in a line; `::…` needs the
 * beginning of a line, where the caller has words of its own.
 */
export function asLogText(text: string, length = 300): string {
  return withoutCommands(onOneLine(text, length));
}

function withoutCommands(text: string): string {
  return text.replaceAll(/##(?=\w*\[)/gu, '# #');
}
