/** The id of a run with a key follows from its project and its key, so that every call with the key finds the run. */
import { fromUUID } from 'typeid-js';
import { v5 } from 'uuid';
import { isId } from '../ids.js';
import { namespaceOf } from '../namespace.js';

/** The id of a run. It is the same each time, and does not sort by time. Null if the project's id is malformed. */
export function runIdOf(projectId: string, runKey: string): string | null {
  if (!isId('project', projectId)) return null;
  return fromUUID(v5(`run/${runKey}`, namespaceOf(projectId)), 'run');
}
