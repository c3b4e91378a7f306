/** What a forge can do with the issues of causes, and how one is known again: by hidden marks in its text. It is pure. */
import { inMark } from '../keep-comment.js';

/** All issues of `testledger issues sync` have it: by it they are listed. One that loses it is kept no longer. */
export const LABEL = 'testledger';
/** With it, an issue stays closed. */
export const IGNORED_LABEL = 'testledger-ignored';

export type Issue = {
  /** Older issues have lower numbers. */
  number: number;
  isOpen: boolean;
  /** Somebody said that it is not to be opened again. */
  isDeclined: boolean;
  title: string;
  body: string;
  url: string;
};

export type IssueText = { title: string; body: string };

export type IssueState = 'open' | 'completed' | 'duplicate';

/** Each function @throws ForgeError. */
export type Issues = {
  /** Those of this token's own user with the label, open and closed, the oldest first. */
  own(): AsyncIterable<Issue>;
  create(text: IssueText & { labels: readonly string[] }): Promise<Issue>;
  update(number: number, change: IssueText & { state: IssueState }): Promise<void>;
};

/** More would be read for too long. Ended before its end, the list would lack issues, and they would be made again. */
export const MOST_PAGES_OF_ISSUES = 200;

/** An issue of ours, with what its marks say. */
export type MarkedIssue = Issue & {
  group: string;
  /** The run of which the text tells; null for one that is a duplicate. */
  seen: string | null;
};

export function marksOf(project: string, group: string, seen: string | null): string {
  return `${causeMark(project, group)}\n${seen === null ? DUPLICATE : `<!-- testledger seen: ${inMark(seen)} -->`}`;
}

function causeMark(project: string, group: string): string {
  return `<!-- testledger cause: ${inMark(project)} ${inMark(group)} -->`;
}

const DUPLICATE = '<!-- testledger duplicate -->';

/** Null for one of another project, or of another program. */
export function marked(issue: Issue, project: string): MarkedIssue | null {
  const [first = '', second = ''] = withoutReturns(issue.body).split('\n', 2);
  const group = /^<!-- testledger cause: \S+ (\S+) -->$/u.exec(first.trim())?.[1];
  if (group === undefined || first.trim() !== causeMark(project, group)) return null;
  const seen = /^<!-- testledger seen: (\S+) -->$/u.exec(second.trim())?.[1] ?? null;
  return { ...issue, group, seen };
}

/** Forges end a line with CR LF, or leave out the last one. */
export function isSameText(issue: IssueText, { title, body }: IssueText): boolean {
  return issue.title === title && withoutReturns(issue.body).trimEnd() === body.trimEnd();
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
