/** Ids that follow from keys, so that every call with a key finds what the first one made. */
import { fromUUID } from 'typeid-js';
import { v5 } from 'uuid';
import { isId } from '../ids.js';
import { namespaceOf } from '../namespace.js';

/**
 * The id of a run with a key. It is the same each time, and does not sort by time. Null if the project's id is malformed.
 * `purged`: how many runs with this key were purged before it. Their ids are not used again.
 */
export function runIdOf(projectId: string, runKey: string, purged = 0): string | null {
  if (!isId('project', projectId)) return null;
  const name = purged === 0 ? `run/${runKey}` : `run-after-${purged}/${runKey}`;
  return fromUUID(v5(name, namespaceOf(projectId)), 'run');
}

/** The id of the submission of a call that is named in its run: that of the same items under the same name. */
export function namedSubmissionId(runId: string, submissionKey: string, itemsHash: string): string {
  return fromUUID(v5(`submission/${itemsHash}/${submissionKey}`, namespaceOf(runId)), 'run');
}
