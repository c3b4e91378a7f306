/** The check of every write below a project. */
import { mustTakeWrites, project } from '../domain/project.js';
import { streamNameOf } from '../domain/team-streams.js';
import type { Ledger } from './ledger.js';

/** @throws LedgerError `not_found`, or `project_inactive` if the project takes no writes. */
export async function checkProjectTakesWrites(
  ledger: Pick<Ledger, 'load'>,
  team: string,
  id: string,
): Promise<void> {
  mustTakeWrites(await ledger.load(project, streamNameOf('project', team, id)));
}
