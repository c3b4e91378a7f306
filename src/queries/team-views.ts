/** Reads the read models for one team: a document of another team does not exist for it. */
import type { Collection, ProjectionSpec } from '../domain/projection.js';
import { isId } from '../domain/ids.js';
import { fail } from '../errors.js';
import type { ContentReader } from '../log/with-contents.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews, type Stored, type TypedViews } from '../projecting/typed-views.js';

export type TeamViews = {
  /** @throws AppError `not_found` for an id that is malformed, unknown, or another team's. */
  get<D extends Owned>(collection: Collection<D>, team: string, id: string): Promise<Stored<D>>;
  /** The documents that exist and are the team's, in the order of the ids. */
  some<D extends Owned>(
    collection: Collection<D>,
    team: string,
    ids: readonly string[],
  ): Promise<Stored<D>[]>;
  /** One page. It does not check the team: `where` names the team, or a parent that was read for the team. */
  find: TypedViews['find'];
  /** Those of results, which the documents name. */
  contents: ContentReader;
};

type Owned = { team_id: string };

export function openTeamViews(reader: ViewReader, spec: ProjectionSpec, contents: ContentReader): TeamViews {
  const views = typedViews(reader, spec);
  return {
    contents,
    async get(collection, team, id) {
      if (isId(collection.ids, id)) {
        const [document] = await views.get(collection, [id]);
        if (document != null && document.team_id === team) return document;
      }
      return fail('not_found', `There is no such ${collection.ids}.`);
    },
    async some(collection, team, ids) {
      const documents = await views.get(collection, ids);
      return documents.filter((document) => document !== null && document.team_id === team) as Extract<
        (typeof documents)[number],
        object
      >[];
    },
    find: views.find,
  };
}
