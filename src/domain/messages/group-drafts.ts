/** The messages of the groups of failures of a completed run. They follow from its `run.completed`, which has them all. */
import { aloneMessageId } from '../test-history/test.js';
import type { AboutGroup, AboutRun } from './about.js';
import type { Draft } from './draft.js';
import { untold } from './group-payload.js';

/** `cause`: the UUID of the completion. */
export function groupDrafts(
  cause: string,
  {
    run_id,
    project_id,
    counts,
    place,
    failures,
  }: Pick<AboutRun, 'run_id' | 'project_id' | 'counts' | 'place' | 'failures'>,
): Draft<AboutGroup>[] {
  return untold(failures).map((failed) => ({
    uuid: aloneMessageId(failed.group.id, cause, 'group.failed'),
    subject: failed.group.id,
    isAlone: true,
    about: { kind: 'group', run_id, project_id, counts, place, failed },
  }));
}
