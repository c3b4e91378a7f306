/** `testledger rebuild`: asks a running server to rebuild its read models, and prints the progress. */
import { setTimeout as pause } from 'node:timers/promises';
import { records } from '../../../projections/records/records.js';
import { history } from '../../../projections/history/history.js';
import { openExistingState, describeStore } from '../../adapters/open.js';
import type { Config } from '../../config.js';
import { instant, systemClock } from '../../clock.js';
import type { ProjectionSpec } from '../../domain/projection.js';
import type { State } from '../../ports/state.js';
import { readRebuild, requestRebuild } from '../../projecting/rebuild.js';
import { isAppError } from '../../errors.js';
import { command, noFlags } from '../command.js';
import { onStores } from '../on-stores.js';
import { failWith } from '../errors.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

const LOOK_EVERY_MS = 200;
/** No server has begun within this time. */
const NO_SERVER_MS = 15_000;
/** No progress within this time. */
const STUCK_MS = 30_000;

/** One after the other: at the same time, each would take half of the machine from the other. */
const projections = [records, history];

export const rebuildCommand = command({
  command: 'rebuild',
  describe: 'Fold all read models again from the log, beside the live ones, while the server runs',
  flags: noFlags,
  run: (_, terminal) => onStores((config) => rebuild(config, terminal)),
});

/** Ends with 1 when a rebuild failed or no server began it. @throws CliError `ledger_missing` */
async function rebuild(config: Config, terminal: Terminal): Promise<ExitCode> {
  const state = await openExistingState(config);
  if (state === null) failWith('ledger_missing', `there is no ledger in ${describeStore(config.views)}`);
  let ends;
  try {
    ends = await rebuildAll(state, terminal);
  } finally {
    await state.close();
  }
  const isDone = ends.every(({ status }) => status === 'done');
  terminal.result(
    { projections: ends },
    ends.map((end) => `${end.projection}: ${sentenceOf(end)}`),
  );
  return isDone ? exitCodes.ok : exitCodes.failed;
}

/** Stops at the first that fails. */
async function rebuildAll(state: State, terminal: Terminal): Promise<({ projection: string } & End)[]> {
  const ends: ({ projection: string } & End)[] = [];
  for (const projection of projections) {
    const end = await rebuildOne(state, projection, (line) => terminal.note(`${projection.name}: ${line}`));
    ends.push({ projection: projection.name, ...end });
    if (end.status !== 'done') break;
  }
  return ends;
}

type End =
  | { status: 'done'; events: number; build: number | null }
  | { status: 'failed'; error: string | null }
  | { status: 'away' | 'no_progress' | 'not_begun' };

function sentenceOf(end: End): string {
  switch (end.status) {
    case 'done':
      return `done: ${end.events} events folded; build ${end.build} is live`;
    case 'failed':
      return `failed: ${end.error}; the live build stays in use`;
    case 'away':
      return 'the state does not answer; it keeps the request';
    case 'no_progress':
      return 'no progress; has the server stopped? The rebuild continues when it starts again';
    case 'not_begun':
      return 'no server has begun; the next server that starts on these stores will';
  }
}

async function rebuildOne(
  state: State,
  projection: ProjectionSpec,
  note: (line: string) => void,
): Promise<End> {
  await requestRebuild(state, projection, instant(systemClock));
  const requestedAt = Date.now();
  let noted = -1;
  let movedAt = requestedAt;
  for (;;) {
    const request = await readRebuild(state, projection.name).catch(unlessAway);
    if (request === 'away') {
      if (Date.now() - movedAt > STUCK_MS) return { status: 'away' };
      await pause(LOOK_EVERY_MS);
      continue;
    }
    if (request?.status === 'done') {
      return { status: 'done', events: request.events, build: request.build };
    }
    if (request?.status === 'failed') return { status: 'failed', error: request.error };
    if (request?.status === 'running' && Date.now() - movedAt > STUCK_MS) return { status: 'no_progress' };
    if (request?.status === 'requested' && Date.now() - requestedAt > NO_SERVER_MS) {
      return { status: 'not_begun' };
    }
    if (request?.status === 'running' && request.events !== noted) {
      noted = request.events;
      movedAt = Date.now();
      note(`${noted} events folded`);
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** The request stays in State, so the command looks again: a server that restarts is no reason to give up. */
function unlessAway(error: unknown): 'away' {
  if (!isAppError(error, 'state_unavailable')) throw error;
  return 'away';
}
