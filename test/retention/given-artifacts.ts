/** Artifacts of results in a project whose clock a test moves, and the janitor that deletes them. */
import { artifactDocuments } from '../../projections/records/artifacts.js';
import { openRounds } from '../../src/artifacts/janitor.js';
import { createArtifact, openArtifacts } from '../../src/commands/artifacts.js';
import { openFeed } from '../../src/log/feed.js';
import { memoryBlobs } from '../artifacts/memory-blobs.js';
import { limits, noMarks } from '../commands/artifacts.given.js';
import type { Retained } from './given.js';

const BYTES = 'the bytes of the file';
export const FILE_BYTES = BYTES.length;

export function openAttached(kept: Retained) {
  const { log, commands, contents, state, clock, views, project_id } = kept;
  const blobs = memoryBlobs();
  const artifacts = openArtifacts({ commands, blobs, clock, limits, marked: noMarks });
  const round = openRounds({
    commands,
    blobs,
    state,
    contents,
    feed: openFeed(log),
    holder: { boot: 'one', alone: true },
    clock,
    report: (error) => void kept.faults.push(error),
    metrics: { reclaimed: () => {}, artifactDeleted: () => {} },
  });
  return {
    /** A confirmed artifact of the result. Returns its id. */
    async attach(test_result_id: string): Promise<string> {
      const wanted = { test_result_id, label: 'Log', kind: 'Log', content_type: 'text/plain' } as const;
      const file = { ...wanted, size_bytes: FILE_BYTES, content: Buffer.from(BYTES) };
      return (await createArtifact(artifacts, kept.context(), file, 'http://here')).artifact.artifact_id;
    },
    /** What the sweep and the janitor do in a while. */
    async clean(): Promise<void> {
      for (let n = 0; n < 2; n += 1) {
        await kept.sweep();
        await round();
        clock.forward(10_000);
      }
      await kept.caughtUp();
    },
    /** Those that are there, bytes and all. */
    async left(): Promise<string[]> {
      await kept.caughtUp();
      const sort = { field: 'created_position', direction: 'ascending' } as const;
      const { items } = await views.find(artifactDocuments, { where: { project_id }, sort, limit: 100 });
      const ids = items.map(({ artifact_id }) => artifact_id);
      for (const artifact of ids)
        if (blobs.at({ team: kept.team, artifact }).versions.length === 0) throw new Error('no bytes');
      return ids;
    },
  };
}
