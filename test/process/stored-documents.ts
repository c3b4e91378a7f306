/** The documents of the read models as the file stores them: to the byte, with their fields in order. */
import { openSqliteViewReader } from '../../src/adapters/sqlite/views/reader.js';
import type { CollectionSpec } from '../../src/domain/projection.js';
import type { Document, ViewReader } from '../../src/ports/views.js';
import {
  bodyDocuments,
  changedDocuments,
  packDocuments,
  resultIdAt,
  type DirectoryDocument,
  type PackDocument,
} from '../../projections/records/result-packs.js';
import { records } from '../../projections/records/records.js';

type Page = Parameters<ViewReader['find']>[2];

/** Every document of the team as JSON, by `<collection>/<id>`. A server may have the file open meanwhile. */
export async function documentsOf(folder: string, team: string): Promise<Map<string, string>> {
  const views = openSqliteViewReader({ folder });
  const documents = new Map<string, string>();

  async function collect(collection: string, where: Page['where'], id: string): Promise<string[]> {
    const ids: string[] = [];
    const sort = { field: 'created_position', direction: 'ascending' } as const;
    for (let after: Page['after'] | null = undefined; after !== null;) {
      const query = { where, sort, limit: 500, ...(after && { after }) };
      const { items, next } = await views.find(records, collection, query);
      for (const item of items) {
        ids.push(String(item[id]));
        documents.set(`${collection}/${String(item[id])}`, JSON.stringify(item));
      }
      after = next;
    }
    return ids;
  }

  /** What the results of submissions are stored in. */
  async function collectPacks(run: string): Promise<void> {
    await collect('directory', { test_run_id: run }, 'created_position');
    const blocks = [...documents].filter(([name]) => name.startsWith('directory/'));
    for (const block of blocks.map(([, text]) => JSON.parse(text) as DirectoryDocument)) {
      if (block.test_run_id !== run) continue;
      const { submission_id, first, listed } = block;
      const packs = await get(
        packDocuments,
        listed.map((_, nth) => `${submission_id}#${first + nth}`),
      );
      for (const pack of packs as unknown as PackDocument[]) {
        await get(
          bodyDocuments,
          pack.bodies.map((begin) => `${submission_id}#${begin}`),
        );
        await get(
          changedDocuments,
          Array.from(pack.statuses, (_, n) => resultIdAt(pack, n)),
        );
      }
    }
  }

  async function get({ name }: CollectionSpec, ids: string[]): Promise<Document[]> {
    const found = await views.get(records, name, ids);
    found.forEach((document, n) => {
      if (document !== null) documents.set(`${name}/${ids[n]}`, JSON.stringify(document));
    });
    return found.flatMap((document) => document ?? []);
  }

  try {
    for (const project of await collect('projects', { team_id: team }, 'project_id')) {
      for (const run of await collect('runs', { project_id: project }, 'test_run_id')) {
        await collect('results', { test_run_id: run }, 'test_result_id');
        await collectPacks(run);
      }
    }
    // The results without a run.
    await collect('results', { test_run_id: null }, 'test_result_id');
    return documents;
  } finally {
    await views.close();
  }
}
