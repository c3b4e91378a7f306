/**
 * What one process does for requests at the same time, each kind named once. `npm run generate` writes the table into
 * `docs/limits.md`. The rate of the requests of a key is another bound (`http/backpressure/rate-limit.ts`). Deliveries
 * and look-ups of names have semaphores of their own, because no request waits for them.
 */
import type { ErrorCode } from '../errors.js';

export type Kind = {
  /** What takes the places. */
  sentence: string;
  /** A place stands for one request, or for something that its reader keeps open, or for a byte. */
  places: Places;
  unit?: 'bytes';
  /** The time to wait for a place, and the most that wait: each keeps what its connection has buffered. Default: nothing waits. */
  waits?: { ms: number; all?: number; perTeam?: number };
  refusal: Refusal;
};

/** `perKey`: where keys have a share; `key`: what has a key, if it is no API key. */
type Places = { all: number; perTeam: number; perKey?: number; key?: string };

/** `code`: default `overloaded`. `retryAfter`: seconds. `ofKey`, `ofLine`: for a full share of a key, or a full line. */
type Refusal = { code?: ErrorCode; retryAfter: number; detail: string; ofKey?: string; ofLine?: string };

const MIB = 1_024 * 1_024;
const inProgress = {
  unit: 'bytes',
  waits: { ms: 5_000, all: 1_024, perTeam: 512 },
  refusal: { retryAfter: 2, detail: 'Too many requests are in progress. Try again.' },
} as const;

const table = {
  // Each has 64 KiB at most, and may take a minute. Nothing else of a stranger is kept.
  forms: {
    sentence: 'Forms that are arriving from people who have not signed in. An address stands for a team.',
    places: { all: 16 * MIB, perTeam: 2 * MIB },
    ...inProgress,
  },
  // Together with answers less than half of a heap of 512 MiB; a page of 100 records with the largest metadata has 6.5 MiB.
  bodies: {
    sentence: 'Bodies of requests, from before their first byte until the answer.',
    places: { all: 64 * MIB, perTeam: 16 * MIB, perKey: 8 * MIB },
    ...inProgress,
  },
  answers: {
    sentence: 'Answers that are not read yet.',
    places: { all: 128 * MIB, perTeam: 32 * MIB, perKey: 16 * MIB },
    ...inProgress,
  },
  // Each can take 32 MiB, and as much again once parsed.
  submissions: {
    sentence: 'Submissions that are larger than the bodies of other requests.',
    places: { all: 4, perTeam: 2 },
    waits: { ms: 30_000 },
    refusal: { retryAfter: 5, detail: 'Too many submissions are in progress. Try again.' },
  },
  // Each is a temporary file of up to 100 MiB. A client that was cut off retries at once, while its first upload still
  // counts: so an artifact has more than one place.
  uploads: {
    sentence: 'Uploads of files to the server itself.',
    places: { all: 64, perTeam: 32, perKey: 2, key: 'artifact' },
    refusal: {
      retryAfter: 5,
      detail: 'Too many files are being uploaded. Try again.',
      ofKey: 'This file is already being uploaded. Try again.',
    },
  },
  // Each holds two descriptors, and a signed URL has no rate limit.
  downloads: {
    sentence: 'Downloads of files from the server itself.',
    places: { all: 256, perTeam: 128 },
    refusal: { retryAfter: 5, detail: 'Too many files are being downloaded.' },
  },
  replayPages: replay('Pages of the replay.', 'pages', { all: 16, perTeam: 8, perKey: 4 }),
  // Apart from pages, because people wait for them.
  histories: replay('Histories of a run or a result.', 'histories', { all: 16, perTeam: 8, perKey: 4 }),
  // A stream keeps its place for as long as its reader likes.
  replayStreams: replay('NDJSON streams of the replay.', 'NDJSON streams', {
    all: 32,
    perTeam: 8,
    perKey: 4,
  }),
  // Each reads the log twice, and holds what still changes of it.
  exports: replay('Exports of tables.', 'exports', { all: 4, perTeam: 2, perKey: 1 }),
  liveStreams: replay('Live streams of the replay.', 'live streams', { all: 500, perTeam: 100, perKey: 50 }),
  // Two large runs may take hundreds of MB.
  comparisons: {
    sentence: 'Comparisons of runs that are not stored.',
    places: { all: 2, perTeam: 1 },
    waits: { ms: 5_000 },
    refusal: { retryAfter: 2, detail: 'Too many runs are being compared. Try again.' },
  },
  // Each reads messages for up to five seconds.
  previews: {
    sentence: 'Previews of webhooks.',
    places: { all: 2, perTeam: 1 },
    waits: { ms: 5_000 },
    refusal: { retryAfter: 2, detail: 'Too many webhooks are being previewed. Try again.' },
  },
  // Each folds a project anew, in a thread of their own.
  pasts: {
    sentence: 'Projects that are folded as of a moment in the past.',
    places: { all: 2, perTeam: 1 },
    waits: { ms: 10_000, all: 64, perTeam: 16 },
    refusal: { retryAfter: 5, detail: 'Too many moments of the past are being asked for. Try again.' },
  },
  // Each may hold a hundred records with metadata while it is made. What a page costs is known only once it is made: a
  // person who sends many requests at once learns of their debt before all of them are paid by others.
  pages: {
    sentence: 'Pages of the dashboard that are being made.',
    places: { all: 16, perTeam: 8, perKey: 2, key: 'person' },
    waits: { ms: 5_000 },
    refusal: {
      retryAfter: 2,
      detail: 'Too many pages are being made. Try again.',
      ofKey: 'Too many of your pages are being made. Try again.',
    },
  },
  // Each query string is a view of its own, so one person could have all of them open: the other teams keep the rest.
  liveViews: {
    sentence: 'Different pages with live parts that are open.',
    places: { all: 500, perTeam: 250 },
    refusal: { retryAfter: 30, detail: 'Too many pages are open.' },
  },
  liveReaders: {
    sentence: 'Readers of pages with live parts.',
    places: { all: 2_000, perTeam: 1_000 },
    refusal: { retryAfter: 30, detail: 'Too many pages are open.' },
  },
  // One hash takes 128 MiB.
  passwords: {
    sentence: 'Passwords that are being checked or set. The bound of a team is that of one person here.',
    // Not by team, which nobody has before the proof: four people could keep everybody from signing in.
    places: { all: 2, perTeam: 1 },
    waits: { ms: 10_000, all: 128, perTeam: 9 },
    refusal: { retryAfter: 5, detail: 'Many people sign in at the moment.' },
  },
} satisfies Record<string, Kind>;

function replay(sentence: string, name: string, places: Required<Omit<Places, 'key'>>) {
  const { perTeam, perKey } = places;
  const refusal = {
    code: 'too_many_replays',
    retryAfter: 5,
    detail: `This team reads ${perTeam} ${name} at the same time, which is the most, or the server sends as many as it can.`,
    ofKey: `This key reads ${perKey} ${name} at the same time, which is the most.`,
    ofLine: `Too many requests of this team wait for ${name}.`,
  } as const;
  return { sentence, places, waits: { ms: 5_000, perTeam: 100 }, refusal };
}

export type KindName = keyof typeof table;

export const kinds: Readonly<Record<KindName, Kind>> = table;
