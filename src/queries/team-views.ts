/** Reading the views for one team: what belongs to another is not there. */
import type { Found, Query, ViewReader } from '../ports/views.js';
import type { ProjectionSpec } from '../domain/projection.js';
import { isId } from '../domain/ids.js';
import { fail } from '../errors.js';
import type { ArtifactDocument } from '../../projections/artifacts.js';
import type { ProjectDocument } from '../../projections/projects.js';
import type { ResultDocument, RunDocument } from '../../projections/runs.js';
import type { WebhookDocument } from '../../projections/webhooks.js';

export type TeamViews = {
  /** @throws LedgerError `not_found` for an id that is malformed, unknown, or another team's. */
  project(team: string, id: string): Promise<ProjectDocument>;
  run(team: string, id: string): Promise<RunDocument>;
  result(team: string, id: string): Promise<ResultDocument>;
  artifact(team: string, id: string): Promise<ArtifactDocument>;
  webhook(team: string, id: string): Promise<WebhookDocument>;
  /** Those of the ids that are there, in their order. */
  some<T extends RunDocument | ResultDocument>(
    collection: 'runs' | 'results',
    team: string,
    ids: readonly string[],
  ): Promise<T[]>;
  find<T>(
    collection: 'projects' | 'runs' | 'results' | 'artifacts' | 'webhooks',
    query: Query,
  ): Promise<Omit<Found, 'items'> & { items: T[] }>;
};

export function openTeamViews(views: ViewReader, spec: ProjectionSpec): TeamViews {
  async function one<T extends { team_id: string }>(
    kind: 'project' | 'run' | 'result' | 'artifact' | 'webhook',
    team: string,
    id: string,
  ): Promise<T> {
    if (isId(kind, id)) {
      const [document] = (await views.get(spec, `${kind}s`, [id])) as unknown as (T | null)[];
      if (document != null && document.team_id === team) return document;
    }
    return fail('not_found', `There is no such ${kind}.`);
  }
  return {
    project: (team, id) => one('project', team, id),
    run: (team, id) => one('run', team, id),
    result: (team, id) => one('result', team, id),
    artifact: (team, id) => one('artifact', team, id),
    webhook: (team, id) => one('webhook', team, id),
    async some<T extends RunDocument | ResultDocument>(
      collection: string,
      team: string,
      ids: readonly string[],
    ) {
      const documents = (await views.get(spec, collection, ids)) as unknown as (T | null)[];
      return documents.filter((document) => document !== null && document.team_id === team) as T[];
    },
    find: async <T>(collection: string, query: Query) =>
      (await views.find(spec, collection, query)) as unknown as Omit<Found, 'items'> & { items: T[] },
  };
}
