/** The collection `builds`: which builds exist, which one is live, and what was left behind. */
import type { ClientSession, Db } from 'mongodb';
import { FIRST_CHECKPOINT } from '../../shared/checkpoints.js';
import type { ProjectionSpec } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import { isDuplicate } from '../errors.js';
import { raiseSchema } from '../schema.js';
import {
  documentsName,
  documentsOf,
  indexesOf,
  MARKER,
  newBuildId,
  registryIndexes,
  registryOf,
  type BuildDocument,
} from './layout.js';
import { shapeOf } from '../../shared/view-rules.js';

/** All builds of a projection, by number. */
export async function readyBuilds(
  db: Db,
  session: ClientSession,
  projection: string,
): Promise<BuildDocument[]> {
  return registryOf(db).find({ projection, state: 'ready' }, { session }).sort({ build: 1 }).toArray();
}

/**
 * Makes the collections of a build and makes it ready. Without a transaction, because one that a crash leaves open
 * holds its locks for a minute. Unfinished collections are in no build's way until one update makes the build `ready`.
 */
export async function makeBuild(
  db: Db,
  session: ClientSession,
  spec: ProjectionSpec,
  build: number,
): Promise<void> {
  // Again: the database may have been deleted while this process runs.
  await raiseSchema(db, 'views_unavailable');
  await registryOf(db).createIndexes(registryIndexes, { session });
  await sweep(db, session, spec.name);
  for (let tries = 0; tries < 3; tries += 1) {
    const builds = await readyBuilds(db, session, spec.name);
    const known = builds.find((one) => one.build === build);
    if (known !== undefined) return mustBeSame(known, spec);
    if (builds.some((one) => one.build > build)) fail('internal', `the build number ${build} is not new`);
    const made = newBuild(spec, build, builds.length === 0);
    await registryOf(db).insertOne(made, { session });
    await Promise.all(made.collections.map((each) => makeCollection(db, made, each)));
    if (await makeReady(db, session, made)) return;
    await discard(db, session, made);
  }
  fail('views_unavailable', `other writers are preparing builds of ${spec.name}`, { retryAfter: 1 });
}

/**
 * Drops what is not a build, or not any more: leftovers of a promotion or a crash, or what another writer is preparing
 * at this moment.
 */
export async function sweep(db: Db, session: ClientSession, projection: string): Promise<void> {
  const unused = { projection, state: { $in: ['making', 'retired'] as const } };
  for (const build of await registryOf(db).find(unused, { session }).toArray()) {
    await discard(db, session, build);
  }
}

function newBuild(spec: ProjectionSpec, build: number, live: boolean): BuildDocument {
  return {
    _id: newBuildId(spec, build),
    projection: spec.name,
    build,
    version: spec.version,
    checkpoints: [FIRST_CHECKPOINT],
    live,
    state: 'making',
    collections: shapeOf(spec),
    session: null,
  };
}

async function makeCollection(
  db: Db,
  { _id, live }: BuildDocument,
  spec: BuildDocument['collections'][number],
): Promise<void> {
  const documents = documentsOf(db, _id, spec.name);
  if (spec.indexes.length > 0) await documents.createIndexes(indexesOf(spec));
  await documents.insertOne({ _id: MARKER, _live: live });
}

/** False where another writer was faster with this number or with the first build, or took this one for a leftover. */
async function makeReady(db: Db, session: ClientSession, { _id, live }: BuildDocument): Promise<boolean> {
  try {
    const shown = { $set: { state: 'ready' as const, live } };
    const { matchedCount } = await registryOf(db).updateOne({ _id, state: 'making' }, shown, { session });
    return matchedCount === 1;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

async function discard(
  db: Db,
  session: ClientSession,
  { _id, collections }: Pick<BuildDocument, '_id' | 'collections'>,
): Promise<void> {
  // From here on, its maker cannot make it ready.
  await registryOf(db).updateOne({ _id, state: 'making' }, { $set: { state: 'retired' } }, { session });
  for (const { name } of collections) await db.dropCollection(documentsName(_id, name));
  await registryOf(db).deleteOne({ _id, state: 'retired' }, { session });
}

function mustBeSame({ build, version, collections }: BuildDocument, spec: ProjectionSpec): void {
  if (version === spec.version && JSON.stringify(collections) === JSON.stringify(shapeOf(spec))) return;
  fail('internal', `build ${build} of ${spec.name} was made for other collections: raise the version`);
}
