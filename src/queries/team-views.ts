/** Reads the read models for one reader: a document of another team, or of a project beyond its own, does not exist. */
import type { Collection, ProjectionSpec } from '../domain/projection.js';
import { maySee, reachesNoFurther, type Reader } from '../domain/teams/access.js';
import { isId } from '../domain/ids.js';
import { fail } from '../errors.js';
import type { ContentReader } from '../log/with-contents.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews, type Stored, type TypedViews } from '../projecting/typed-views.js';

export type TeamViews = {
  /** @throws AppError `not_found` for an id that is malformed, unknown, or does not exist for the reader. */
  get<D extends Owned>(collection: Collection<D>, reader: Reader, id: string): Promise<Stored<D>>;
  /** The documents that exist for the reader, in the order of the ids. */
  some<D extends Owned>(
    collection: Collection<D>,
    reader: Reader,
    ids: readonly string[],
  ): Promise<Stored<D>[]>;
  /** One page. It does not check the reader: `where` names a parent that was read for the reader. */
  find: TypedViews['find'];
  /** Those of results, which the documents name. */
  contents: ContentReader;
};

/** One without a project belongs to the whole team. `project_ids`: what it reaches; null for all projects. */
type Owned = {
  team_id: string;
  project_id?: string | null;
  project_ids?: readonly string[] | null;
};

function existsFor(reader: Reader, { team_id, project_id = null, project_ids }: Owned): boolean {
  if (team_id !== reader.team_id) return false;
  return project_ids === undefined ? maySee(reader, project_id) : reachesNoFurther(reader, project_ids);
}

export function openTeamViews(store: ViewReader, spec: ProjectionSpec, contents: ContentReader): TeamViews {
  const views = typedViews(store, spec);
  return {
    contents,
    async get(collection, reader, id) {
      if (isId(collection.ids, id)) {
        const [document] = await views.get(collection, [id]);
        if (document != null && existsFor(reader, document)) return document;
      }
      return fail('not_found', `There is no such ${collection.ids}.`);
    },
    async some(collection, reader, ids) {
      const documents = await views.get(collection, ids);
      return documents.filter((document) => document !== null && existsFor(reader, document)) as Extract<
        (typeof documents)[number],
        object
      >[];
    },
    find: views.find,
  };
}
