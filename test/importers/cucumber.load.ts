import { expect } from 'chai';
import { ImportError } from '../../src/importers/import-error.js';
import { importReport } from '../../src/importers/import-report.js';
import { heldMiBSince } from './held-memory.js';

const A_FEATURE = 100;
const MIB = 1_024 * 1_024;

describe('importers: the messages of Cucumber', function () {
  this.timeout(300_000);

  it('are read with flat memory where each feature runs before the next one is defined', async () => {
    const read = await readMessages(featureByFeature(200_000));
    expect(read).to.deep.include({ results: 200_000, failed: 10_000 });
    expect(read.heldMiB).to.be.below(100);
  });

  it('are read with at most 1 KiB for each scenario where all are defined before the first one runs', async () => {
    const read = await readMessages(allDefinedFirst(100_000));
    expect(read).to.deep.include({ results: 100_000, failed: 5_000 });
    expect(read.heldMiB).to.be.below(100 + 100_000 / 1_024);
  });

  it('keep their results, without the names of steps, where the scenarios that wait have more than 64 MiB', async () => {
    const { names, steps } = await readMessages(withLongTags(80));
    expect(names.toSorted()).to.deep.equal(
      Array.from({ length: 80 }, (_, n) => `Shop › scenario ${n}`).toSorted(),
    );
    const stepOf = (n: number) => steps[names.indexOf(`Shop › scenario ${n}`)];
    expect([stepOf(0), stepOf(79)]).to.deep.equal(['Given a step', 'step']);
  });

  it('are refused where the scenarios that wait have more than 192 MiB, and where more than 10,000 run at a time', async () => {
    expect(await refusal(withLongTags(200))).to.equal('too_large');
    expect(await refusal(allAtOnce(10_001))).to.equal('too_large');
    expect((await readMessages(allAtOnce(10_000))).results).to.equal(10_000);
  });
});

type Message = Record<string, unknown>;

const feature = (n: number, scenarios: number): Message[] => {
  const uri = `features/${n}.feature`;
  const ids = Array.from({ length: scenarios }, (_, at) => `${n}-${at}`);
  const children = ids.map((id, at) => ({
    scenario: {
      id: `scenario ${id}`,
      name: `scenario ${at}`,
      location: { line: 3 + at * 4 },
      steps: [{ id: `ast ${id}`, keyword: 'Given ', text: 'a step' }],
      examples: [],
    },
  }));
  return [
    { gherkinDocument: { uri, feature: { name: n === 0 ? 'Shop' : `Feature ${n}`, children } } },
    ...ids.map((id, at) => ({
      pickle: {
        id: `pickle ${id}`,
        uri,
        name: `scenario ${at}`,
        astNodeIds: [`scenario ${id}`],
        tags: [{ name: '@smoke' }],
        steps: [{ id: `pickle step ${id}`, text: 'a step', astNodeIds: [`ast ${id}`] }],
      },
    })),
  ];
};
const testCase = (id: string): Message => ({
  testCase: {
    id: `case ${id}`,
    pickleId: `pickle ${id}`,
    testSteps: [{ id: `step ${id}`, pickleStepId: `pickle step ${id}` }],
  },
});
const started = (id: string): Message => ({ testCaseStarted: { id: `try ${id}`, testCaseId: `case ${id}` } });
const finished = (id: string, status: string): Message[] => [
  {
    testStepFinished: {
      testCaseStartedId: `try ${id}`,
      testStepId: `step ${id}`,
      testStepResult: { status, duration: { seconds: 0, nanos: 1e6 }, message: 'it is wrong' },
    },
  },
  { testCaseFinished: { testCaseStartedId: `try ${id}`, willBeRetried: false } },
];
const executed = (n: number, at: number): Message[] => {
  const id = `${n}-${at}`;
  return [started(id), ...finished(id, at % 20 === 0 ? 'FAILED' : 'PASSED')];
};
const END: Message = { testRunFinished: { success: false } };

function* featureByFeature(scenarios: number): Generator<Message> {
  for (let n = 0; n < scenarios / A_FEATURE; n += 1) {
    yield* feature(n, A_FEATURE);
    for (let at = 0; at < A_FEATURE; at += 1) {
      yield testCase(`${n}-${at}`);
      yield* executed(n, at);
    }
  }
  yield END;
}

function* allDefinedFirst(scenarios: number): Generator<Message> {
  const features = scenarios / A_FEATURE;
  for (let n = 0; n < features; n += 1) yield* feature(n, A_FEATURE);
  for (let n = 0; n < features; n += 1)
    for (let at = 0; at < A_FEATURE; at += 1) yield testCase(`${n}-${at}`);
  for (let n = 0; n < features; n += 1) for (let at = 0; at < A_FEATURE; at += 1) yield* executed(n, at);
  yield END;
}

/** Each scenario has 1 MiB. */
function* withLongTags(scenarios: number): Generator<Message> {
  for (const message of feature(0, scenarios)) {
    const pickle = message['pickle'] as Message | undefined;
    yield pickle === undefined ? message : { pickle: { ...pickle, tags: [{ name: 'x'.repeat(MIB) }] } };
  }
  for (let at = 0; at < scenarios; at += 1) yield testCase(`0-${at}`);
  for (let at = 0; at < scenarios; at += 1) yield* executed(0, at);
  yield END;
}

function* allAtOnce(scenarios: number): Generator<Message> {
  yield* feature(0, scenarios);
  for (let at = 0; at < scenarios; at += 1) yield testCase(`0-${at}`);
  for (let at = 0; at < scenarios; at += 1) yield started(`0-${at}`);
  for (let at = 0; at < scenarios; at += 1) yield* finished(`0-${at}`, 'PASSED');
  yield { testRunFinished: { success: true } };
}

async function* bytesOf(messages: Iterable<Message>): AsyncGenerator<Uint8Array> {
  let lines = '{"meta":{"implementation":{"name":"cucumber-js"}}}\n';
  for (const message of messages) {
    lines += `${JSON.stringify(message)}\n`;
    if (lines.length < 64 * 1_024) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  yield Buffer.from(lines);
}

async function readMessages(messages: Iterable<Message>) {
  const held = heldMiBSince();
  const read = { results: 0, failed: 0, heldMiB: 0, names: [] as string[], steps: [] as unknown[] };
  for await (const entries of importReport({ path: 'report', bytes: bytesOf(messages) }))
    for (const entry of entries) {
      if (entry.type !== 'result') continue;
      const { name, status, metadata } = entry.item;
      read.results += 1;
      if (status === 'failed') read.failed += 1;
      if (read.names.length < 1_000) {
        read.names.push(name);
        read.steps.push((metadata as { steps?: { name: string }[] }).steps?.[0]?.name);
      }
      if (read.results % 20_000 === 1) read.heldMiB = Math.max(read.heldMiB, held());
    }
  return read;
}

async function refusal(messages: Iterable<Message>): Promise<string> {
  try {
    await readMessages(messages);
  } catch (error) {
    if (error instanceof ImportError) return error.code;
    throw error;
  }
  return 'read';
}
