/** Checks of the stores that are on servers, and of those in files as far as a running server allows it. */
import { randomUUID } from 'node:crypto';
import { openBlobs, openExistingState } from '../../../adapters/open.js';
import type { OnStop } from '../../../adapters/adapter.js';
import {
  blobsAdapters,
  busAdapters,
  locate,
  logAdapters,
  viewsAdapters,
} from '../../../adapters/registry.js';
import { withoutPassword } from '../../../adapters/shared/urls.js';
import { instant, systemClock } from '../../../clock.js';
import { readBody } from '../../../client/read-body.js';
import { OPERATOR_TEAM } from '../../../commands/teams.js';
import type { Config } from '../../../config.js';
import { streamName } from '../../../domain/event.js';
import { isAppError } from '../../../errors.js';
import type { EventLog } from '../../../ports/event-log.js';
import { openStopList } from '../../../stop-list.js';
import { checked, ok, warn, type Finding } from './check.js';

/** The folders that the stores of a configuration are in, each once. */
export function foldersOf({ events, views, blobs }: Config): string[] {
  const folders = [
    locate(logAdapters, events).folder,
    locate(viewsAdapters, views).folder,
    locate(blobsAdapters, blobs).folder,
  ];
  return [...new Set(folders.filter((folder) => folder !== null))];
}

const NOT_STARTED = 'Start the server once.';

export async function checkStores(config: Config): Promise<Finding[]> {
  return [
    await checkStore('log', 'Check EVENTS_URL, the network and the credentials.', (onStop) =>
      log(config, onStop),
    ),
    await checkStore('state', 'Check VIEWS_URL, the network and the credentials.', (onStop) =>
      state(config, onStop),
    ),
    await checkStore(
      'files',
      'Check BLOBS_URL, the clock of this machine and the rights of the key.',
      (onStop) => files(config, onStop),
    ),
    await checkStore('bus', 'Check BUS_URL, the network and the credentials.', () => bus(config)),
  ];
}

function checkStore(
  check: string,
  advice: string,
  work: (onStop: OnStop) => Promise<Finding>,
): Promise<Finding> {
  return checked(check, advice, async () => {
    const { onStop, stop } = openStopList();
    try {
      return await work(onStop);
    } finally {
      await stop();
    }
  });
}

async function log({ events }: Config, onStop: OnStop): Promise<Finding> {
  const at = locate(logAdapters, events);
  if (!at.exists()) return warn('log', `there is no log in ${at.shown} yet`, NOT_STARTED);
  const opened = await at.open({ mode: 'reader' });
  onStop(() => opened.close());
  const head = await opened.head();
  if (!opened.singleWriter) await refusedAppend(opened);
  const rights = opened.singleWriter ? 'readable' : 'readable and writable';
  return ok('log', `${at.shown} is ${rights}, at position ${head || 'before the first event'}`);
}

/** A revision that no stream has: the server checks the rights and then the expectation, and stores nothing. */
async function refusedAppend(log: EventLog): Promise<void> {
  const stream = streamName('team', OPERATOR_TEAM, 'doctor');
  const meta = {
    team_id: OPERATOR_TEAM,
    actor: 'system',
    at: instant(systemClock),
    correlation_id: randomUUID(),
  };
  const event = {
    id: randomUUID(),
    type: 'Doctor',
    version: 1,
    data: {},
    meta: { ...meta, causation_id: null },
  };
  try {
    await log.append(stream, 1_000_000_000, [event]);
  } catch (error) {
    if (!isAppError(error, 'wrong_revision')) throw error;
  }
}

/** An entry is written and removed, except in files: there a running server is the only one that writes. */
async function state(config: Config, onStop: OnStop): Promise<Finding> {
  const at = locate(viewsAdapters, config.views);
  const opened = await openExistingState(config);
  if (opened === null) return warn('state', `there is no state in ${at.shown} yet`, NOT_STARTED);
  onStop(() => opened.close());
  if (at.folder !== null) {
    await opened.list('doctor', { limit: 1 });
    return ok('state', `${at.shown} is readable`);
  }
  const key = randomUUID();
  await opened.put('doctor', key, {}, { expected: 'absent' });
  await opened.remove('doctor', key, 'any');
  return ok('state', `${at.shown} is readable and writable`);
}

/** The answer is empty, or an error of S3. */
const ANSWER_BYTES = 64 * 1_024;

/** A file of one byte is uploaded by a signed URL and deleted, as clients do. The check of the folder covers files. */
async function files(config: Config, onStop: OnStop): Promise<Finding> {
  const at = locate(blobsAdapters, config.blobs);
  if (at.folder !== null) return ok('files', `${at.shown}, see folder`);
  const { blobs } = await openBlobs(config, onStop, systemClock);
  const place = { team: OPERATOR_TEAM, artifact: `artifact_doctor${randomUUID().replaceAll('-', '')}` };
  const expiresAt = instant(() => new Date(systemClock().getTime() + 60_000));
  const url = await blobs.uploadUrl(place, { size: 1, expiresAt, origin: 'http://localhost' });
  try {
    const answer = await fetch(url, { method: 'PUT', body: 'x' });
    const bytes = await readBody(answer, ANSWER_BYTES, () => {
      throw new Error(`an upload was answered with ${answer.status} and more than ${ANSWER_BYTES} bytes`);
    });
    if (!answer.ok)
      throw new Error(`an upload was answered with ${answer.status}: ${bytes.toString().slice(0, 300)}`);
  } finally {
    await blobs.clear(place, null);
  }
  return ok('files', `${at.shown} takes uploads`);
}

async function bus({ bus }: Config): Promise<Finding> {
  if (bus === null) return ok('bus', 'none: one server needs none');
  await locate(busAdapters, bus).check();
  return ok('bus', `${withoutPassword(bus)} answers`);
}
