/** What a commit shows of a run: a status, or a check with annotations. It is pure. */
import { createHash } from 'node:crypto';
import { judge } from '../../gate/judge.js';
import { runPageUrl, type Result, type RunFacts } from '../../summary/facts.js';
import { verdictOf } from '../../summary/verdict.js';
import { firstLines, onOneLine } from '../../../domain/text/harmless.js';

export type CommitStatus = {
  commit: string;
  /** Tells the statuses of one commit apart: a later one with the same name takes the place of it. */
  name: string;
  state: 'pending' | 'success' | 'failure';
  description: string;
  /** The page of the run. */
  url: string;
};

export type Check = CommitStatus & {
  run: string;
  /** Markdown. */
  summary: string;
  annotations: readonly Annotation[];
};

export type Annotation = { file: string; line: number; title: string; message: string };

/** What a forge can do with a commit. Each function @throws ForgeError. */
export type Statuses = {
  set(status: CommitStatus): Promise<void>;
  /** Null on a forge without checks. */
  check: ((check: Check) => Promise<void>) | null;
};

/** GitHub takes no longer name. */
const NAME_LENGTH = 255;
/** Of GitHub; GitLab takes more. */
const DESCRIPTION_LENGTH = 140;

/** Null for a run without a commit. */
export function statusOf(facts: RunFacts): CommitStatus | null {
  const { run, server } = facts;
  if (run.commit === null || !isCommit(run.commit)) return null;
  return {
    commit: run.commit,
    name: statusName(facts),
    state: stateOf(facts),
    description: onOneLine(
      verdictOf(facts, (text) => text),
      DESCRIPTION_LENGTH,
    ),
    url: runPageUrl(server, run.id),
  };
}

/** It becomes a part of a path. */
function isCommit(text: string): boolean {
  return /^[0-9a-f]{7,64}$/iu.test(text);
}

/** Of one project, tool and environment: the legs of a matrix must not overwrite each other. */
export function statusName({ project, run }: Pick<RunFacts, 'project' | 'run'>): string {
  const parts = ['testledger', project.name, run.tool ?? '', run.environment_key];
  const name = parts
    .map((part) => onOneLine(part, 1_000))
    .filter((part) => part !== '')
    .join(' / ');
  const characters = Array.from(name);
  if (characters.length <= NAME_LENGTH) return name;
  // Each part may be the one that tells it from another name.
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${characters.slice(0, NAME_LENGTH - digest.length - 1).join('')} ${digest}`;
}

/** What `testledger gate` says without flags. Results that have not come yet may fail. */
function stateOf(facts: RunFacts): CommitStatus['state'] {
  const { run, isCurrent } = facts;
  if (!isCurrent || run.status !== 'completed' || run.gate === null) return 'pending';
  return judge({}, facts).passes ? 'success' : 'failure';
}

/** GitHub takes 50 with one request. A failure without a file is in the summary alone. */
const MOST_OF_A_CHECK = 50;

/** At their lines, or at the first one where it is not known. */
export function annotationsOfCheck(results: readonly Result[]): Annotation[] {
  return results
    .flatMap(({ name, file, line, error, error_message }) => {
      const path = onOneLine(file ?? '', 1_000).replace(/^(?:\.?\/)+/u, '');
      if (path === '') return [];
      const said = error?.message ?? error_message ?? '';
      const message =
        said.trim() === '' ? 'The test failed.' : firstLines(said, { lines: 20, length: 1_000 });
      return { file: path, line: Math.max(line ?? 1, 1), title: onOneLine(name, 255), message };
    })
    .slice(0, MOST_OF_A_CHECK);
}
