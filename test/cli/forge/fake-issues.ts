/** The issues of the stand-in forge. */
import { idOf, OURS, type Answered, type Asked } from './fake-request.js';

export type FakeIssue = {
  number: number;
  title: string;
  body: string;
  isOpen: boolean;
  /** Why it was closed, on GitHub. */
  reason: string | null;
  labels: string[];
  author: string;
};

export type FakeIssues = {
  issues: FakeIssue[];
  /** What another job opens right before the next new issue. */
  meanwhileIssues: FakeIssue[];
};

export function answerOfIssues(forge: FakeIssues, asked: Asked): Answered {
  const { method, pathname, searchParams, content, isGitLab, url } = asked;
  const found = /\/issues(?:\/(\d+))?$/u.exec(pathname);
  if (found === null) return null;
  const shown = (issue: FakeIssue) => shownIssue(issue, url, isGitLab);
  if (method === 'GET') {
    const label = searchParams.get('labels')!;
    const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))];
    const listed = forge.issues.filter(({ labels }) => labels.includes(label));
    return { status: 200, body: listed.slice((page - 1) * size, page * size).map(shown) };
  }
  const { title, labels } = content;
  const body = isGitLab ? content.description : content.body;
  if (method === 'POST') {
    forge.issues.push(...forge.meanwhileIssues.splice(0));
    const issue: FakeIssue = {
      number: Math.max(0, ...forge.issues.map(({ number }) => number)) + 1,
      title,
      body,
      isOpen: true,
      reason: null,
      labels: isGitLab ? labels.split(',') : labels,
      author: OURS,
    };
    forge.issues.push(issue);
    return { status: 201, body: shown(issue) };
  }
  const issue = forge.issues.find(({ number }) => number === Number(found[1]))!;
  const change = isGitLab ? content.state_event : content.state;
  Object.assign(issue, {
    title: title ?? issue.title,
    body: body ?? issue.body,
    isOpen: ['reopen', 'open'].includes(change) || (change === undefined && issue.isOpen),
    reason: content.state_reason ?? null,
  });
  return { status: 200, body: shown(issue) };
}

function shownIssue(
  { number, title, body, isOpen, reason, labels, author }: FakeIssue,
  url: string,
  isGitLab: boolean,
) {
  return isGitLab
    ? {
        iid: number,
        title,
        description: body,
        state: isOpen ? 'opened' : 'closed',
        labels,
        web_url: `${url}/i/${number}`,
        author: { id: idOf(author) },
      }
    : {
        number,
        title,
        body,
        state: isOpen ? 'open' : 'closed',
        state_reason: reason,
        labels: labels.map((name) => ({ name })),
        html_url: `${url}/i/${number}`,
        user: { login: author, type: author.endsWith('[bot]') ? 'Bot' : 'User' },
      };
}
