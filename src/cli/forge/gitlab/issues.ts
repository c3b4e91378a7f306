/** Issues of a project on GitLab, by its REST API. */
import { askForSuccess, listReader, PER_PAGE, type Repository } from '../forge-request.js';
import { IGNORED_LABEL, LABEL, MOST_PAGES_OF_ISSUES, type Issue, type Issues } from '../issues/issues.js';
import { ownership, type Authored } from './project.js';

const ADVICE =
  'The token needs the scope `api` and the role Reporter or above, and the project must have issues. The token of a CI job cannot write issues.';

type GitLabIssue = Authored & {
  iid: number;
  state: 'opened' | 'closed';
  title: string;
  description: string | null;
  web_url: string;
  labels: string[];
};

export function gitlabIssues(project: Repository): Issues {
  const { base, headers } = project;
  const url = `${base}/issues`;
  const pageOf = (page: number) => {
    const query = new URLSearchParams({ labels: LABEL, state: 'all', order_by: 'created_at', sort: 'asc' });
    return {
      method: 'GET',
      url: `${url}?${query}&scope=all&per_page=${PER_PAGE}&page=${page}`,
      headers,
    } as const;
  };
  const all = listReader<GitLabIssue>(pageOf, {
    advice: ADVICE,
    mostPages: MOST_PAGES_OF_ISSUES,
    isWholeNeeded: true,
  });
  let isOwn: ((issue: GitLabIssue) => boolean) | null = null;
  return {
    async *own() {
      isOwn ??= await ownership(project, ADVICE);
      for await (const issue of all()) if (isOwn(issue)) yield issueOf(issue);
    },
    async create({ title, body, labels }) {
      const content = { title, description: body, labels: labels.join(',') };
      return issueOf((await askForSuccess({ method: 'POST', url, headers, content }, ADVICE)) as GitLabIssue);
    },
    async update(number, { title, body, state }) {
      // GitLab has no reason of a close: the text names the other issue.
      const event = state === 'open' ? 'reopen' : 'close';
      const content = { title, description: body, state_event: event };
      await askForSuccess({ method: 'PUT', url: `${url}/${number}`, headers, content }, ADVICE);
    },
  };
}

function issueOf({ iid, state, title, description, web_url: url, labels }: GitLabIssue): Issue {
  return {
    number: iid,
    isOpen: state === 'opened',
    isDeclined: labels.includes(IGNORED_LABEL),
    title,
    body: description ?? '',
    url,
  };
}
