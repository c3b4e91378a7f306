/**
 * One issue for each cause of failures of the default branch. Forges have no lock: two jobs may open an issue for one cause in
 * the same moment. So each job lists all issues again after it has opened some, and of each cause closes all but the oldest.
 * The job that lists last sees both, and all jobs choose the same one.
 */
import type { Cause } from './causes.js';
import { goneText, duplicateText } from './issue-text.js';
import { LABEL, marked, type Issues, type IssueText, type MarkedIssue } from './issues.js';
import { duplicatesIn, planOf, type Change } from './plan.js';

/** What the server knows of the causes of a project's default branch. */
export type Causes = {
  /** Those that fail in the newest runs. */
  failing(): Promise<Cause[]>;
  /** Every test that failed with it has run since, and none did. */
  isGone(group: string): Promise<boolean>;
};

export type Wanted = {
  project: string;
  textOf: (cause: Cause) => IssueText;
  /** Beside the one by which issues are listed. */
  labels: readonly string[];
  /** Issues that are changed, without duplicates. */
  most: number;
  isDryRun: boolean;
};

export type Done = {
  did: Change['did'] | 'closed' | 'closed as duplicate';
  group: string;
  title: string;
  /** Null where it is not made, with `isDryRun`. */
  url: string | null;
};

export type Synced = {
  done: readonly Done[];
  /** Changes that are left for the next call. */
  left: number;
};

/** `onDone` gets each change as it is made, because a later one may fail. @throws ForgeError, TestledgerError, CliError */
export async function syncIssues(
  issues: Issues,
  causes: Causes,
  wanted: Wanted,
  onDone: (done: Done) => void = () => undefined,
): Promise<Synced> {
  const { project, most, isDryRun, textOf } = wanted;
  const done: Done[] = [];
  const tell = (each: Done) => {
    done.push(each);
    onDone(each);
  };
  const found = await ownIssues(issues, project);
  const doubles = await closeDuplicates(issues, found, { project, isDryRun, tell });
  const { changes, quiet } = planOf(
    found.filter((issue) => !doubles.has(issue.number)),
    await causes.failing(),
    textOf,
  );
  const gone: MarkedIssue[] = [];
  for (const issue of quiet) {
    if (gone.length === most) break;
    if (await causes.isGone(issue.group)) gone.push(issue);
  }
  for (const issue of gone) {
    const { title, number, group, url } = issue;
    const change = { title, body: goneText(project, issue), state: 'completed' } as const;
    if (!isDryRun) await issues.update(number, change);
    tell({ did: 'closed', group, title, url });
  }
  const now = changes.slice(0, most - gone.length);
  for (const change of now) tell(await apply(issues, change, wanted));
  if (!isDryRun && now.some(({ did }) => did === 'opened'))
    await closeDuplicates(issues, await ownIssues(issues, project), { project, isDryRun, tell });
  return { done, left: changes.length - now.length };
}

async function ownIssues(issues: Issues, project: string): Promise<MarkedIssue[]> {
  const all: MarkedIssue[] = [];
  for await (const issue of issues.own()) {
    const known = marked(issue, project);
    if (known !== null) all.push(known);
  }
  return all;
}

/** Returns the numbers of those that were closed. */
async function closeDuplicates(
  issues: Issues,
  found: readonly MarkedIssue[],
  { project, isDryRun, tell }: Pick<Wanted, 'project' | 'isDryRun'> & { tell: (done: Done) => void },
): Promise<Set<number>> {
  const duplicates = duplicatesIn(found);
  for (const { issue, of } of duplicates) {
    const { number, title, group, url } = issue;
    const body = duplicateText(project, group, of.number);
    if (!isDryRun) await issues.update(number, { title, body, state: 'duplicate' });
    tell({ did: 'closed as duplicate', group, title, url });
  }
  return new Set(duplicates.map(({ issue }) => issue.number));
}

async function apply(issues: Issues, change: Change, { textOf, labels, isDryRun }: Wanted): Promise<Done> {
  const { did, cause } = change;
  const { group } = cause;
  const text = textOf(cause);
  const { title } = text;
  switch (change.did) {
    case 'opened': {
      if (isDryRun) return { did, group, title, url: null };
      const { url } = await issues.create({ ...text, labels: [LABEL, ...labels] });
      return { did, group, title, url };
    }
    case 'reopened':
    case 'updated': {
      const { number, url } = change.issue;
      // Open in both cases: another job may have closed it meanwhile, by what it read before the cause came back.
      if (!isDryRun) await issues.update(number, { ...text, state: 'open' });
      return { did, group, title, url };
    }
  }
}
