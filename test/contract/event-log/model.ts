import { ALL_PARTITIONS, partitionOf, without } from '../../../src/domain/partition.js';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { EventLog, ExpectedRevision } from '../../../src/ports/event-log.js';
import { parseStreamName, streamName, type NewEvent } from '../../../src/domain/event.js';
import { isAppError } from '../../../src/errors.js';
import type { Subject } from './subject.js';
import { newEvent, newTeam, readToEnd } from './events.js';

/** The log as a list: what the promises mean, without a file, a thread or an index. */
type Entry = { stream: string; revision: number; id: string; type: string };

type Step = { stream: number; expected: ExpectedRevision | 'head'; events: number[] };

const STREAMS = [
  ['run', 0, 'a'],
  ['run', 1, 'a'],
  ['result', 0, 'a'],
  ['project', 0, 'b'],
  ['items', 1, 'b'],
] as const;

const steps = fc.array(
  fc.record<Step>({
    stream: fc.nat({ max: STREAMS.length - 1 }),
    expected: fc.oneof(
      { weight: 4, arbitrary: fc.constant('head' as const) },
      fc.constant('none' as const),
      fc.constant('any' as const),
      fc.nat({ max: 4 }),
    ),
    // Few different events, so that repeats and near-repeats are common.
    events: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);

export function modelContract(subject: Subject): void {
  it('answers any appends and reads as a plain list does', async () => {
    await fc.assert(
      fc.asyncProperty(steps, (each) => behavesAsAList(subject.log, each, false)),
      { numRuns: 60 },
    );
  });
}

/** Checks the appends in their order. `atOnce` sends them without waiting for the answers. */
export function appendsBehaveAsAList(log: () => EventLog): Promise<void> {
  return fc.assert(
    fc.asyncProperty(steps, (each) => behavesAsAList(log(), each, true)),
    { numRuns: 60 },
  );
}

async function behavesAsAList(log: EventLog, all: readonly Step[], atOnce: boolean): Promise<void> {
  const teams = [newTeam(), newTeam()] as const;
  const names = STREAMS.map(([category, team, id]) => streamName(category, teams[team], id));
  const known = Array.from({ length: 6 }, (_, index) => newEvent({ index }, `Type${index % 2}`));
  const after = await log.head();
  const list: Entry[] = [];
  const answers: Promise<string>[] = [];
  const expectedAnswers: string[] = [];

  for (const { stream: index, expected: wanted, events: chosen } of all) {
    const stream = names[index] ?? '';
    const head = list.filter((entry) => entry.stream === stream).length - 1;
    const expected = wanted !== 'head' ? wanted : head === -1 ? 'none' : head;
    // `any` promises nothing about repeated events, so it gets new ones.
    const events = chosen.map((number) => (expected === 'any' ? newEvent({}, 'Type0') : known[number]!));
    expectedAnswers.push(appendToList(list, stream, expected, events));
    const answer = log.append(stream, expected, events).then(
      ({ revision }) => `at ${revision}`,
      (error: unknown) => (isAppError(error) ? error.code : String(error)),
    );
    answers.push(answer);
    if (!atOnce) await answer;
  }

  expect(await Promise.all(answers)).to.deep.equal(expectedAnswers);
  for (const stream of names) {
    const stored = (await log.readStream(stream)).events;
    expect(stored.map(toEntry)).to.deep.equal(list.filter((entry) => entry.stream === stream));
  }
  const filters: [string[], (entry: Entry) => boolean][] = [
    [names, () => true],
    [[`run-${teams[0]}.`, `run-${teams[1]}.`], ({ stream }) => stream.startsWith('run-')],
    [[`result-${teams[0]}.`, `run-${teams[0]}.`], ({ stream }) => [names[0], names[2]].includes(stream)],
  ];
  for (const [streams, wanted] of filters) {
    const prefixes = streams.map((name) => name.slice(0, name.indexOf('.') + 1));
    for (const types of [undefined, ['Type1']]) {
      const filter = types === undefined ? { streams: prefixes } : { streams: prefixes, types };
      const { events } = await readToEnd(log, { after, filter, limit: 4 });
      const expected = list.filter((entry) => wanted(entry) && (types?.includes(entry.type) ?? true));
      expect(events.map(toEntry)).to.deep.equal(expected);
      for (const partitions of [partitionOf(teams[0]), without(ALL_PARTITIONS, partitionOf(teams[0]))]) {
        const some = await readToEnd(log, { after, filter: { ...filter, partitions }, limit: 4 });
        const within = expected.filter(({ stream }) =>
          partitions.includes(partitionOf(parseStreamName(stream).team)),
        );
        expect(some.events.map(toEntry)).to.deep.equal(within);
      }
    }
  }
}

function appendToList(
  list: Entry[],
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): string {
  const own = list.filter((entry) => entry.stream === stream);
  const start = expected === 'none' ? 0 : expected === 'any' ? own.length : expected + 1;
  const last = start + events.length - 1;
  if (start === own.length) {
    list.push(...events.map(({ id, type }, index) => ({ stream, revision: start + index, id, type })));
    return `at ${last}`;
  }
  return events.every(({ id }, index) => own[start + index]?.id === id) ? `at ${last}` : 'wrong_revision';
}

function toEntry({ stream, revision, id, type }: Entry): Entry {
  return { stream, revision, id, type };
}
