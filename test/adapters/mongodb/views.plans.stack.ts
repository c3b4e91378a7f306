/** Every read and write of the read models uses an index, and every page the index that was declared for it. */
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { records } from '../../../projections/records/records.js';
import { history } from '../../../projections/history/history.js';
import { countStages, pageStages } from '../../../src/adapters/mongodb/views/find.js';
import { documentsName, indexName, type BuildDocument } from '../../../src/adapters/mongodb/views/layout.js';
import { openMongoViewReader } from '../../../src/adapters/mongodb/views/reader.js';
import { openMongoViewWriter } from '../../../src/adapters/mongodb/views/writer.js';
import type { ViewQuery, ViewReader, ViewWriter } from '../../../src/ports/views.js';
import { added, at, commitTo, document, thingsSpec } from '../../contract/views/things.js';
import { emptyDatabase, type TestDatabase } from './database.js';
import { plansOf, slow } from './plans.js';
import { everyShape } from '../shared/view-queries.js';

describe('the plans of MongoDB for the views', function () {
  let database: TestDatabase;
  let client: MongoClient;
  let writer: ViewWriter;
  let reader: ViewReader;
  beforeEach(async () => {
    database = await emptyDatabase();
    client = new MongoClient(database.url);
    writer = openMongoViewWriter(database);
    reader = openMongoViewReader(database);
  });
  afterEach(async () => {
    await reader.close();
    await writer.close();
    await client.close();
    await database.drop();
  });

  for (const spec of [records, history, thingsSpec()]) {
    it(`use the declared index for every shape of query on ${spec.name}, and sort and scan nothing`, async () => {
      await writer.prepare(spec, 1);
      const build = await client.db().collection<BuildDocument>('builds').findOne({ projection: spec.name });
      for (const { name, indexes, ...fields } of spec.collections) {
        const collection = documentsName(build?._id ?? '', name);
        for (const index of indexes) {
          for (const query of everyShape(fields, index)) {
            const pipeline = pageStages(collection, index, query, null);
            const explained = await client
              .db()
              .collection(collection)
              .aggregate(pipeline, { hint: indexName(index) })
              .explain('queryPlanner');
            expectIndexed(explained, index, query);
            if (query.contains === undefined && query.parts === undefined) continue;
            // Of numbers, the server reads the documents.
            if (query.among !== undefined) continue;
            const counted = await client
              .db()
              .collection(collection)
              .aggregate(countStages(index, query))
              .explain('queryPlanner');
            expectCovered(counted, index);
          }
        }
      }
    });
  }

  it('use an index for every call of the reader and the writer', async () => {
    const [spec, next] = [thingsSpec(), thingsSpec('things', 2)];
    const [one, two] = [document({ at: '1', team: 'x' }), document({ at: '2', team: 'y' })];
    const plans = await plansOf(database.url, async () => {
      await writer.prepare(spec, 1);
      await commitTo(writer, spec, [added('a', one), added('b', one), added('c', one)]);
      await writer.load(spec, 1, [{ collection: 'things', id: 'a' }]);
      await commitTo(writer, spec, [
        { collection: 'things', id: 'a', before: one, after: two },
        { collection: 'things', id: 'b', before: one, after: null },
      ]);
      await commitTo(writer, spec, [], { epoch: 2 });
      await reader.position('things');
      await reader.position('things', { atLeast: at(9), timeoutMs: 5 });
      await reader.get(spec, 'things', ['a', 'b']);
      const sort = { field: 'at', direction: 'ascending' } as const;
      const after = { value: '1', id: 'a' };
      await reader.find(spec, 'things', { where: { team: 'x' }, sort, limit: 2, total: true, after });
      await writer.prepare(next, 2);
      await commitTo(writer, next, [added('a')], { build: 2, to: at(9), epoch: 2 });
      await writer.promote(next, 2, 2);
      await reader.get(spec, 'things', ['a', 'b']);
    });
    expect(plans.length).to.be.greaterThan(30);
    expect(slow(plans)).to.deep.equal([]);
  });
});

type Stage = {
  stage: string;
  indexName?: string;
  filter?: unknown;
  indexBounds?: Record<string, string[]>;
  inputStage?: Stage;
  inputStages?: Stage[];
};

/** The plan reads entries of that index in its order, and then the documents of the page only, or those whose numbers it looks at. */
function expectIndexed(explained: object, index: readonly string[], query: ViewQuery): void {
  const stages = stagesOf(planOf(explained));
  const what = `${JSON.stringify(query)}: ${JSON.stringify(stages)}`;
  const allowed = ['LIMIT', 'FETCH', 'SKIP', 'SORT_MERGE', 'IXSCAN', 'OR', 'EOF'];
  for (const { stage, filter } of stages) {
    expect(stage, what).to.be.oneOf(allowed);
    const hasFilter = query.contains !== undefined || query.parts !== undefined;
    if (stage === 'FETCH' && query.among !== undefined) expect(filter, what).to.have.keys('$expr');
    else if (stage !== 'IXSCAN' || !hasFilter) expect(filter, what).to.equal(undefined);
  }
  const scans = stages.filter(({ stage }) => stage === 'IXSCAN');
  if (!stages.some(({ stage }) => stage === 'EOF')) expect(scans, what).to.have.length.greaterThan(0);
  for (const { indexName: entered, indexBounds } of scans) {
    expect(entered, what).to.equal(indexName(index));
    for (const field of index.slice(0, -1)) expect(indexBounds?.[field], what).to.deep.equal(['["x", "x"]']);
  }
  const order = stages.map(({ stage }) => stage);
  // Of numbers, those that are not wanted are fetched too.
  if (query.offset !== undefined && query.among === undefined) {
    expect(order.indexOf('FETCH'), `skipped entries are not fetched: ${what}`).to.be.lessThan(
      order.indexOf('SKIP'),
    );
  }
}

/** The plan reads entries of an index that begins with the fields of this one, and no documents. */
function expectCovered(explained: object, index: readonly string[]): void {
  const stages = stagesOf(planOf(explained));
  const what = JSON.stringify(stages);
  for (const { stage } of stages) expect(stage, what).to.match(/^(COUNT|PROJECTION.*|GROUP|IXSCAN|EOF)$/);
  const scan = stages.find(({ stage }) => stage === 'IXSCAN');
  for (const field of index.slice(0, -1))
    expect(scan?.indexBounds?.[field], what).to.deep.equal(['["x", "x"]']);
}

function planOf(explained: object): Stage {
  const { stages, queryPlanner } = explained as {
    stages?: { $cursor?: { queryPlanner: { winningPlan: Stage } } }[];
    queryPlanner?: { winningPlan: Stage };
  };
  const plan = stages?.[0]?.$cursor?.queryPlanner.winningPlan ?? queryPlanner?.winningPlan;
  if (plan === undefined) throw new Error(`no plan in ${JSON.stringify(explained)}`);
  return plan;
}

function stagesOf(plan: Stage): Stage[] {
  const { inputStage, inputStages = [], ...stage } = plan;
  return [stage, ...[...(inputStage === undefined ? [] : [inputStage]), ...inputStages].flatMap(stagesOf)];
}
