/** Which messages of its events a webhook gets: a filter chooses runs, and failures in them (docs/api.md, section 5). */
import { matchesWildcards } from '../teams/trust.js';
import type { FailedGroup, FailureTraits } from './failed-groups.js';
import type { About, AboutKnownFailure, MessagePlace } from './about.js';
import { partsOf } from './digest.js';

/** Lists that are null choose all. Branches and environments are patterns, as those of a trust. */
export type WebhookFilter = {
  branches: string[] | null;
  environments: string[] | null;
  owners: string[] | null;
  /** Failures of which somebody knows are wanted too. */
  known: boolean;
  only_new: boolean;
};

/** A filter as it is sent: what it leaves out chooses all but known failures. */
export function filledFilter(sent: Partial<WebhookFilter>): WebhookFilter {
  const { branches = null, environments = null, owners = null, known = false, only_new = false } = sent;
  return { branches, environments, owners, known, only_new };
}

/** Whether a filter leaves a message. What is said of something that does not fail is chosen by its place and its owner. */
export function passes(filter: WebhookFilter, about: About): boolean {
  switch (about.kind) {
    case 'webhook':
      return true;
    case 'run':
      return (
        isPlaced(filter, about.place) && (isForAllRuns(filter) || chosen(filter, about.failures).length > 0)
      );
    case 'group':
      return isPlaced(filter, about.place) && chosen(filter, [about.failed]).length > 0;
    case 'main':
      return (
        isPlaced(filter, about.place) &&
        (isForAllRuns(filter) || about.red.failures.some((each) => chooses(filter, each)))
      );
    case 'incomplete':
      return isPlaced(filter, about.place);
    case 'test':
    case 'group_gone':
      return isPlaced(filter, about.place) && isOwned(filter, about.owner) && (filter.known || !about.known);
    case 'known_failure':
      return isKnownIn(filter, about) && isOwned(filter, about.owner);
    case 'group_new':
      return isPlaced(filter, about.place) && chooses(filter, { ...about, new: true });
    case 'day':
      return filter.owners === null || partsOf(about.numbers.parts, filter.owners).length > 0;
    case 'result':
      return isPlaced(filter, about.place) && chooses(filter, about);
  }
}

/** The groups with their failures that it chooses. */
export function chosen(filter: WebhookFilter | null, groups: readonly FailedGroup[]): FailedGroup[] {
  if (filter === null) return [...groups];
  return groups
    .map((group) => ({
      ...group,
      parts: group.parts.filter((part) => chooses(filter, { ...part, new: group.new })),
    }))
    .filter(({ parts }) => parts.length > 0);
}

function chooses(filter: WebhookFilter, { owner, known, new: isNew }: FailureTraits): boolean {
  return isOwned(filter, owner) && (filter.known || !known) && (!filter.only_new || isNew);
}

/** Of a completed run without failures, which is news to whoever asks for no failures of their own. */
function isForAllRuns({ owners, only_new }: WebhookFilter): boolean {
  return owners === null && !only_new;
}

function isPlaced({ branches, environments }: WebhookFilter, { branch, environment }: MessagePlace): boolean {
  return (
    (branches === null || (branch !== null && isLike(branches, branch))) &&
    (environments === null || isLike(environments, environment))
  );
}

/** What is known on all branches is known on those of the filter, too. */
function isKnownIn(
  { branches, environments }: WebhookFilter,
  { branch, environment }: Pick<AboutKnownFailure, 'branch' | 'environment'>,
): boolean {
  return (
    (branches === null || branch === null || isLike(branches, branch)) &&
    (environments === null || environment === null || isLike(environments, environment))
  );
}

function isOwned({ owners }: WebhookFilter, owner: string | null): boolean {
  return owners === null || (owner !== null && owners.includes(owner));
}

function isLike(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesWildcards(pattern, text));
}
