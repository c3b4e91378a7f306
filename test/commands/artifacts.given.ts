/** A result and its artifacts, for the tests of the commands and of the janitor. */
import { expect } from 'chai';
import { createArtifact, deleteArtifact, openArtifacts } from '../../src/commands/artifacts.js';
import { confirmArtifact } from '../../src/commands/confirm-artifacts.js';
import type { WantedArtifact } from '../../src/commands/artifacts.js';
import { uploadsSettleAfterMs } from '../../src/artifacts/cleanup.js';
import { openFeed } from '../../src/log/feed.js';
import { openRounds, type JanitorOptions } from '../../src/artifacts/janitor.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import { recordResult } from '../../src/commands/results.js';
import { streamName } from '../../src/domain/event.js';
import { result } from '../../src/domain/results/result.js';
import { memoryBlobs, type MemoryBlobs } from '../artifacts/memory-blobs.js';
import { contextOf, eventsOf, givenRun, type Stores } from '../stores.js';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A result takes artifacts for 7 days, an artifact lives for 30 days, and its upload has one hour. */
export const limits = { maxResultAgeMs: 7 * DAY, ttlMs: 30 * DAY, uploadTtlMs: HOUR };
export const SETTLED_MS = uploadsSettleAfterMs(memoryBlobs());

/** Nothing is redacted. */
export const noMarks = async () => new Map<string, never>();

export const BYTES = 'the bytes';

export async function givenResult(stores: Stores, blobs: MemoryBlobs = memoryBlobs()) {
  const { team, project_id, run_id, projectStream } = await givenRun(stores.log);
  const now = () => stores.clock().toISOString();
  const context = (more: Partial<CommandContext> = {}) => contextOf(team, { at: now(), ...more });
  const artifacts = openArtifacts({
    commands: openCommandHandler(stores.log),
    blobs,
    clock: stores.clock,
    limits,
    marked: noMarks,
  });
  const { test_result_id } = await recordResult(artifacts.commands, stores.log, context(), {
    project_id,
    test_run_id: run_id,
    test_name: 'adds up',
    status: 'Failed',
  });
  const stream = streamName('result', team, test_result_id);
  const wanted: WantedArtifact = {
    test_result_id,
    label: 'The screen',
    kind: 'Image',
    content_type: 'image/png',
    size_bytes: BYTES.length,
  };
  const placeOf = (artifact: string) => ({ team, artifact });
  const given = {
    team,
    project_id,
    projectStream,
    test_result_id,
    stream,
    blobs,
    artifacts,
    context,
    wanted,
    now,
    placeOf,
    create: async (more: Partial<WantedArtifact> = {}, by: Partial<CommandContext> = {}) =>
      createArtifact(artifacts, context(by), { ...wanted, ...more }, 'http://here'),
    confirm: (id: string, by: Partial<CommandContext> = {}) => confirmArtifact(artifacts, context(by), id),
    remove: (id: string) => deleteArtifact(artifacts, context(), id),
    /** Creates an artifact, uploads its bytes and returns its id. */
    async uploaded(bytes = BYTES): Promise<string> {
      const { artifact } = await given.create({ size_bytes: bytes.length });
      blobs.upload(placeOf(artifact.artifact_id), bytes);
      return artifact.artifact_id;
    },
    async confirmed(bytes = BYTES): Promise<string> {
      const id = await given.uploaded(bytes);
      await given.confirm(id);
      return id;
    },
    deleteResult: () => artifacts.commands.execute(result, stream, context(), { type: 'DeleteResult' }),
    /** The events of the result and its artifacts, as `Type` or `ArtifactDeleted reason`. */
    async happened(): Promise<string[]> {
      return (await eventsOf(stores.log, stream)).map(({ type, data }) => {
        const { reason } = data as { reason?: string };
        return reason === undefined ? type : `${type} ${reason}`;
      });
    },
  };
  return given;
}

export type JanitorReports = { errors: unknown[]; reclaimed: number; reasons: string[] };

/** A janitor on the stores, with the faults that it reported. It runs a round when the test asks for one. */
export function givenJanitor(stores: Stores, blobs: MemoryBlobs, more: Partial<JanitorOptions> = {}) {
  const reported: JanitorReports = { errors: [], reclaimed: 0, reasons: [] };
  const commands = openCommandHandler(stores.log);
  const janitor: JanitorOptions = {
    commands,
    blobs,
    state: stores.state,
    contents: { mark: async () => {}, release: async () => ({ contents: 0, bytes: 0 }) },
    feed: openFeed(stores.log),
    holder: { boot: 'one', alone: false },
    clock: stores.clock,
    report: (error) => void reported.errors.push(error),
    metrics: {
      reclaimed: (bytes) => void (reported.reclaimed += bytes),
      artifactDeleted: (reason) => void reported.reasons.push(reason),
    },
    ...more,
  };
  return { reported, janitor, round: openRounds(janitor) };
}

/** A result with artifacts, a blob store in memory, and a janitor for both. */
export async function givenResultAndJanitor(stores: Stores) {
  const blobs = memoryBlobs();
  return { ...(await givenResult(stores, blobs)), ...givenJanitor(stores, blobs) };
}

/** The number of cleanup tasks that are left. */
export async function leftToDo(stores: Stores): Promise<number> {
  return (await stores.state.list('blob-due', { limit: 10_000 })).length;
}

export function expectNothingLeft(blobs: MemoryBlobs): void {
  expect(blobs.size, 'bytes left').to.equal(0);
}
