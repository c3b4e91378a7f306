/** A project on stores in files, whose clock a test moves: its contents, its views, and the sweep that forgets. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { records } from '../../projections/records/records.js';
import { openSqliteContents } from '../../src/adapters/sqlite/contents/contents.js';
import { logFile, logStore } from '../../src/adapters/sqlite/log/file.js';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { openSqliteState } from '../../src/adapters/sqlite/state/state.js';
import { openSqliteViewReader } from '../../src/adapters/sqlite/views/reader.js';
import { openSqliteViewWriter } from '../../src/adapters/sqlite/views/writer.js';
import { instant } from '../../src/clock.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import { newIds } from '../../src/commands/ids.js';
import { packItems } from '../../src/commands/submissions/packed-items.js';
import { replacesNothing } from '../../src/commands/replacing.js';
import { recordResult } from '../../src/commands/results.js';
import { submitRun } from '../../src/commands/submissions/submit-run.js';
import type { SubmittedItem } from '../../src/commands/submissions/submission.js';
import { updateRun } from '../../src/commands/runs.js';
import { projectDocuments } from '../../projections/records/projects.js';
import type { OwnRetention } from '../../src/domain/retention.js';
import { findRuns } from '../../src/http/surface-b/runs/run-filters.js';
import { effectOf } from '../../src/retention/effect.js';
import { oldRunsOf } from '../../src/retention/walk.js';
import { wholeTeam } from '../../src/domain/teams/access.js';
import { streamName } from '../../src/domain/event.js';
import { project, type ProjectCommand } from '../../src/domain/project.js';
import { chunkedLog } from '../../src/log/chunked-log.js';
import { visitingLost } from '../../src/commands/content-visits.js';
import { fail } from '../../src/errors.js';
import { contentsLog } from '../../src/log/contents-log.js';
import { openFoldFeed } from '../../src/log/feed.js';
import { upcastLog } from '../../src/log/upcast-log.js';
import { foldInto } from '../../src/projecting/fold.js';
import { openFreshness } from '../../src/projecting/freshness.js';
import { runProjector } from '../../src/projecting/projector.js';
import { findResults, findResult } from '../../src/queries/results/run-results.js';
import { openTeamViews } from '../../src/queries/team-views.js';
import { openSweep } from '../../src/retention/sweep.js';
import { contentHashOf } from '../../src/secret-key/content-hash.js';
import { itemOf } from '../commands/submissions.given.js';
import { testClock } from '../stores.js';

export const DAY_MS = 86_400_000;

export type Sent = Partial<SubmittedItem>;

export async function openRetained() {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-retention-'));
  const clock = testClock();
  const stored = await openSqliteLog({ folder, mode: 'writer' });
  const contents = openSqliteContents(logStore(logFile(folder)));
  const state = openSqliteState({ folder, now: () => instant(clock) });
  const writer = openSqliteViewWriter({ folder });
  const reader = openSqliteViewReader({ folder });
  const hashOf = contentHashOf(Buffer.from('of the tests alone'));
  const chunked = chunkedLog(stored);
  const log = upcastLog(contentsLog(chunked, { contents, hashOf, lost: null }));
  const commands = openCommandHandler(log);
  const views = openTeamViews(reader, records, contents);
  const freshness = openFreshness({ log: chunked, views: reader, projection: records.name, clock });
  const stop = new AbortController();
  const faults: unknown[] = [];
  const projecting = runProjector({
    projection: records,
    fold: foldInto(records, writer),
    feed: openFoldFeed(chunked),
    views: writer,
    state,
    holder: { boot: 'one', alone: true },
    clock,
    signal: stop.signal,
    report: (report) => void (report.type === 'failed' && faults.push(report)),
  });
  const sweep = openSweep({
    views,
    freshness,
    contents,
    state,
    settlesInMs: 0,
    clock,
    holder: { boot: 'one', alone: true },
    report: (error) => void faults.push(error),
  });
  const team = newIds.created('team');
  const project_id = newIds.created('project');
  const context = (): CommandContext => ({
    team,
    project_ids: null,
    actor: 'key_1',
    at: instant(clock),
    correlationId: 'request',
    ids: newIds,
    resumed: false,
  });
  const projectStream = streamName('project', team, project_id);
  const change = (command: ProjectCommand) => commands.execute(project, projectStream, context(), command);
  await change({ type: 'CreateProject', project_id, name: 'Shop', description: null });

  const caughtUp = async () => {
    while ((await freshness(team)) > 0);
  };

  /** Of a log on a server, whose appends are lost: the contents are kept before. */
  const losing = contentsLog(
    { ...chunked, append: async () => fail('wrong_revision', 'Another append came first.') },
    { contents, hashOf, lost: visitingLost(state, { clock, report: (error) => void faults.push(error) }) },
  );

  async function closeStores(): Promise<void> {
    stop.abort();
    await projecting;
    for (const store of [state, reader, writer, contents, stored]) await store.close();
  }

  return {
    folder,
    clock,
    losing: openCommandHandler(losing),
    log,
    commands,
    contents,
    state,
    views,
    reader,
    writer,
    faults,
    team,
    project_id,
    context,
    caughtUp,
    retain: (retention: object) => change({ type: 'ChangeProject', retention }),
    /** A run of these results, submitted whole. Returns its id. */
    async submit(sent: readonly Sent[], branch = 'topic'): Promise<string> {
      const items = packItems({ project_id, hash: hashOf(team) });
      for (const one of sent) items.add(itemOf(one));
      const { run_id } = await submitRun(commands, log, context(), {
        project_id,
        run_key: null,
        shard: null,
        complete: false,
        submission_key: null,
        label: null,
        metadata: { branch },
        started_at: null,
        finished_at: null,
        count: items.count,
        counts: items.counts,
        items_hash: null,
        duration_ms: items.duration_ms,
        relate: () => Promise.resolve(0),
        async *appends(born, limits, from) {
          yield* items.appends(born, limits, from, replacesNothing);
        },
      });
      items.free();
      return run_id;
    },
    record: (
      run: string | null,
      name: string,
      more: { status?: 'Passed' | 'Failed'; metadata?: object } = {},
    ) =>
      recordResult(commands, log, context(), {
        project_id,
        test_run_id: run,
        test_name: name,
        status: 'Passed',
        ...more,
      } as Parameters<typeof recordResult>[3]),
    pin: (run: string, pinned: boolean) => updateRun(commands, context(), run, { pinned }),
    async sweep(): Promise<void> {
      await caughtUp();
      await sweep();
    },
    /** What each result of a run says of its contents, by its name. */
    async kept(run: string): Promise<Record<string, string | null>> {
      await caughtUp();
      const { items } = await findResults(views, wholeTeam(team), run, { limit: 1_000 });
      return Object.fromEntries(items.map(({ test_name, contents: is = null }) => [test_name, is]));
    },
    async keptOf(result: string): Promise<string | null> {
      await caughtUp();
      return (await findResult(views, wholeTeam(team), result, true)).result.contents ?? null;
    },
    /** The bytes of all texts that there are. */
    async bytesKept(): Promise<number> {
      const all = await contents.held('', 100_000);
      const texts = await contents.read([...new Set(all.flatMap(({ hashes }) => hashes))]);
      return [...texts.values()].reduce((sum, text) => sum + text.length, 0);
    },
    /** The records, folded from the log once more. */
    async rebuilt() {
      const again = await mkdtemp(join(tmpdir(), 'testledger-rebuilt-'));
      const own = openSqliteViewWriter({ folder: again });
      const read = openSqliteViewReader({ folder: again });
      const ended = new AbortController();
      const folding = runProjector({
        projection: records,
        fold: foldInto(records, own),
        feed: openFoldFeed(chunked),
        views: own,
        state: openSqliteState({ folder: again, now: () => instant(clock) }),
        holder: { boot: 'two', alone: true },
        clock,
        signal: ended.signal,
        report: (report) => void (report.type === 'failed' && faults.push(report)),
      });
      const reached = openFreshness({ log: chunked, views: read, projection: records.name, clock });
      while ((await reached(team)) > 0);
      return {
        views: openTeamViews(read, records, contents),
        async close() {
          ended.abort();
          await folding;
          for (const store of [own, read]) await store.close();
          await rm(again, { recursive: true });
        },
      };
    },
    /** The runs of a page of the list of the project, newest first. */
    async listed({ offset = 0, limit = 100 } = {}): Promise<string[]> {
      await caughtUp();
      const [owner] = await views.some(projectDocuments, wholeTeam(team), [project_id]);
      const rest = { others: {} };
      const find = findRuns(views, rest, () => {}, await oldRunsOf(state, owner!));
      const sort = { field: 'created_position', direction: 'descending' } as const;
      const { items } = await find({ where: { project_id }, sort, offset, limit });
      return items.map(({ test_run_id }) => test_run_id);
    },
    async effect(policy: OwnRetention) {
      await caughtUp();
      const [owner] = await views.some(projectDocuments, wholeTeam(team), [project_id]);
      return effectOf({ views, contents, clock }, owner!, policy);
    },
    /** How many contents there are. */
    async count(): Promise<number> {
      const all = await contents.held('', 100_000);
      return new Set(all.flatMap(({ hashes }) => hashes)).size;
    },
    async bytesOf(name: string): Promise<number> {
      const all = (await readdir(folder)).filter((file) => file.startsWith(name));
      const sizes = await Promise.all(all.map(async (file) => (await stat(join(folder, file))).size));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    closeStores,
    async close(): Promise<void> {
      await closeStores();
      await rm(folder, { recursive: true });
    },
  };
}

export type Retained = Awaited<ReturnType<typeof openRetained>>;
