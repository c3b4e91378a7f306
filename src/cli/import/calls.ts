/** Keeps the results of an import until they are sent, and groups them into calls of a bounded size. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { SubmitItem } from '../../client/index.js';
import { attemptsInCall, testsByOrder } from '../../client/same-names.js';
import type { ReportAttachment } from '../../importers/entry.js';
import { linesOf, openSpool } from '../../importers/spool.js';
import { limits } from '../../limits.js';

export type ImportedResult = { item: SubmitItem; attachments: readonly ReportAttachment[]; file: string };

/** The files of one result, by its place in the call. */
export type ResultFiles = { place: number; file: string; attachments: readonly ReportAttachment[] };

export type Call = {
  /** The items as JSON, with commas between them. */
  items: Buffer;
  results: number;
  /** Whether it is the last one of the run. */
  last: boolean;
  /** In groups of a bounded size. */
  files(): AsyncGenerator<ResultFiles[]>;
};

export type Calls = {
  /** @throws SpoolFault where the disk is full */
  add(result: ImportedResult): void;
  here(): Mark;
  /** Forgets the results that were added since then. */
  backTo(mark: Mark): void;
  /** A key for the run of the results that were added, where no build has one. */
  contentKey(): string;
  /** Whether the run fits into one call. */
  isOne(): boolean;
  /** Yields the calls. Results of `retried` wait for the last one, because only results of one call supersede each other. */
  all(retried: ReadonlySet<string>): AsyncGenerator<Call>;
  close(): void;
};

/** Room for the description of the run. */
const ONE = { results: limits.itemsPerSubmission, bytes: limits.submissionBytes - 2 * limits.bodyBytes };
/** Once a run needs several calls, smaller ones need less memory, and the server works while the next one is made. */
const EACH = { results: 10_000, bytes: 8 * 1024 * 1024 };

/** A result, such as the first one of a call: its number in the run, and where its line and those of its files begin. */
export type Mark = { result: number; item: number; files: number };

export function openCalls(): Calls {
  const items = openSpool();
  const files = openSpool();
  let marks: Mark[] = [{ result: 0, item: 0, files: 0 }];
  let results = 0;
  const hash = createHash('sha256');
  /** By the number of the result: where it is another one than in its line. */
  let attempts = new Map<number, number>();

  const here = (): Mark => ({ result: results, item: items.size(), files: files.size() });
  const isOne = (): boolean => results <= ONE.results && items.size() <= ONE.bytes;

  /** A call of the results between two marks that are not held. */
  async function callOf(from: Mark, to: Mark, held: Held | null): Promise<Call> {
    const lines = withAttempts(await items.read(from.item, to.item), from.result);
    if (held === null) {
      const placeOf = (result: number) => result - from.result;
      return callWith(lines, to.result - from.result, filesOf(from, to, placeOf));
    }
    const kept: string[] = [];
    const places = new Map<number, number>();
    for (const [n, line] of linesOf(lines).entries()) {
      const result = from.result + n;
      if (!held.takes(line, result)) {
        places.set(result, kept.length);
        kept.push(line);
      }
    }
    const bytes = Buffer.from(kept.map((line) => `${line}\n`).join(''));
    return callWith(
      bytes,
      kept.length,
      filesOf(from, to, (result) => places.get(result)),
    );
  }

  /** Several tests may have one name, and be tried a different number of times. */
  async function findAttempts(retried: ReadonlySet<string>): Promise<void> {
    const found = testsByOrder();
    const ends = [...marks.slice(1), here()];
    for (const [n, to] of retried.size === 0 ? [] : ends.entries()) {
      const from = marks[n]!;
      for (const [at, line] of linesOf(await items.read(from.item, to.item)).entries()) {
        const { name, attempt = 1 } = JSON.parse(line) as SubmitItem;
        if (retried.has(name)) found.add(from.result + at, name, attempt);
      }
    }
    attempts = attemptsInCall(found.tests());
  }

  /** The lines of results from this one on, with the attempts that are sent. */
  function withAttempts(lines: Buffer, first: number): Buffer {
    if (attempts.size === 0) return lines;
    const sent = linesOf(lines).map((line, n) => {
      const attempt = attempts.get(first + n);
      return attempt === undefined ? line : JSON.stringify({ ...(JSON.parse(line) as SubmitItem), attempt });
    });
    return Buffer.from(sent.map((line) => `${line}\n`).join(''));
  }

  function filesOf(from: Mark, to: Mark, placeOf: (result: number) => number | undefined): Call['files'] {
    return async function* () {
      for await (const lines of files.lines(from.files, to.files))
        yield lines.flatMap((line) => filesIn(line, placeOf) ?? []);
    };
  }

  async function* several(retried: ReadonlySet<string>): AsyncGenerator<Call> {
    const ends = [...marks.slice(1), here()];
    const held = retried.size === 0 ? null : holding(retried);
    const heldCall = (): Call => {
      const { lines, places } = held!.release();
      const ofRun = filesOf(marks[0]!, here(), (result) => places.get(result));
      return callWith(lines, places.size, ofRun);
    };
    let waiting: Call | null = null;
    for (const [n, to] of ends.entries()) {
      // Retries without end must not fill the memory. Those of later calls are results of their own.
      if (held?.isFull()) {
        if (waiting !== null) yield waiting;
        waiting = heldCall();
      }
      const call = await callOf(marks[n]!, to, held);
      if (call.results === 0) continue;
      if (waiting !== null) yield waiting;
      waiting = call;
    }
    if (held?.isEmpty() === false) {
      if (waiting !== null) yield waiting;
      waiting = heldCall();
    }
    if (waiting !== null) yield { ...waiting, last: true };
  }

  return {
    add({ item, attachments, file }) {
      const line = JSON.stringify(item);
      const from = marks.at(-1)!;
      const isFull =
        results - from.result >= EACH.results || items.size() - from.item + 3 * line.length > EACH.bytes;
      if (isFull && results > from.result) marks.push(here());
      items.add(line);
      hash.update(line);
      if (attachments.length > 0) files.add(`${results} ${filesLine(file, attachments)}`);
      results += 1;
    },
    here,
    backTo(mark) {
      items.cut(mark.item);
      files.cut(mark.files);
      results = mark.result;
      marks = marks.filter(({ result }) => result === 0 || result < mark.result);
    },
    contentKey: () => `files ${hash.copy().digest('hex').slice(0, 32)}`,
    isOne,
    async *all(retried) {
      await findAttempts(retried);
      if (isOne()) yield { ...(await callOf(marks[0]!, here(), null)), last: true };
      else yield* several(retried);
    },
    close() {
      items.close();
      files.close();
    },
  };
}

/** The line feeds become commas, but for the last one: JSON has none in it. */
function callWith(lines: Buffer, results: number, files: Call['files']): Call {
  for (let at = lines.indexOf(LINE_FEED); at !== -1 && at < lines.length - 1;) {
    lines[at] = COMMA;
    at = lines.indexOf(LINE_FEED, at + 1);
  }
  return { items: lines.subarray(0, -1), results, last: false, files };
}

const LINE_FEED = 0x0a;
const COMMA = 0x2c;

type Held = {
  /** Keeps the line if it is that of a retried test. */
  takes(line: string, result: number): boolean;
  isEmpty(): boolean;
  isFull(): boolean;
  release(): { lines: Buffer; places: Map<number, number> };
};

function holding(retried: ReadonlySet<string>): Held {
  let lines: string[] = [];
  let places = new Map<number, number>();
  let bytes = 0;
  return {
    takes(line, result) {
      if (!retried.has((JSON.parse(line) as SubmitItem).name)) return false;
      places.set(result, lines.length);
      lines.push(line);
      bytes += Buffer.byteLength(line) + 1;
      return true;
    },
    isEmpty: () => lines.length === 0,
    // The results of one more call fit.
    isFull: () => lines.length > ONE.results - EACH.results || bytes > ONE.bytes - EACH.bytes,
    release() {
      const released = { lines: Buffer.from(lines.map((line) => `${line}\n`).join('')), places };
      lines = [];
      places = new Map();
      bytes = 0;
      return released;
    },
  };
}

/** The bytes of a file are base64 in its line. */
function filesLine(file: string, attachments: readonly ReportAttachment[]): string {
  const written = attachments.map((each) =>
    each.source === 'body' ? { ...each, body: Buffer.from(each.body).toString('base64') } : each,
  );
  return JSON.stringify({ file, attachments: written });
}

/** Null for the files of a result that is not in the call. */
function filesIn(line: string, placeOf: (result: number) => number | undefined): ResultFiles | null {
  const space = line.indexOf(' ');
  const place = placeOf(Number(line.slice(0, space)));
  if (place === undefined) return null;
  const { file, attachments } = JSON.parse(line.slice(space + 1)) as {
    file: string;
    attachments: (ReportAttachment & { body?: unknown })[];
  };
  return {
    place,
    file,
    attachments: attachments.map((each) =>
      each.source === 'body' ? { ...each, body: Buffer.from(String(each.body), 'base64') } : each,
    ),
  };
}
