import { expect } from 'chai';
import { openCalls, type ImportedResult } from '../../../src/cli/import/calls.js';
import { limits } from '../../../src/limits.js';

type Sized = {
  count: number;
  named?: (n: number) => string;
  message?: string;
  body?: (n: number) => string | null;
};

function result(
  n: number,
  { named = (n) => `test ${n}`, message = '', body = () => null }: Sized,
): ImportedResult {
  const text = body(n);
  return {
    item: { name: named(n), status: 'failed', error_message: message },
    attachments:
      text === null
        ? []
        : [{ source: 'body', body: Buffer.from(text), name: 'out.txt', content_type: 'text/plain' }],
    file: 'a.xml',
  };
}

type Sent = { names: string[]; bytes: number; last: boolean; files: Record<string, string> };

/** The calls as they are sent. `files`: the text of each file, by the name of its result. */
async function callsOf(sized: Sized, retried: readonly string[] = []): Promise<Sent[]> {
  const calls = openCalls();
  try {
    for (let n = 0; n < sized.count; n += 1) calls.add(result(n, sized));
    return await sentBy(calls, retried);
  } finally {
    calls.close();
  }
}

async function sentBy(calls: ReturnType<typeof openCalls>, retried: readonly string[]): Promise<Sent[]> {
  const sent: Sent[] = [];
  for await (const { items, results, last, files } of calls.all(new Set(retried))) {
    const parsed = JSON.parse(`[${items.toString()}]`) as { name: string }[];
    expect(parsed).to.have.length(results);
    const names = parsed.map(({ name }) => name);
    const texts: Record<string, string> = {};
    for await (const group of files())
      for (const { place, attachments } of group)
        for (const each of attachments)
          if (each.source === 'body') texts[names[place]!] = Buffer.from(each.body).toString();
    sent.push({ names, bytes: items.length, last, files: texts });
  }
  return sent;
}

describe('calls of an import', () => {
  it('are one where the run fits into one', async () => {
    const calls = await callsOf({ count: limits.itemsPerSubmission });
    expect(calls.map(({ names, last }) => [names.length, last])).to.deep.equal([
      [limits.itemsPerSubmission, true],
    ]);
    expect(calls[0]!.names[7]).to.equal('test 7');
  });

  it('stay within the limits of a call, lose no result, and only the last one is the last', async () => {
    for (const sized of [{ count: 90_001 }, { count: 400, message: 'ü'.repeat(50_000) }]) {
      const calls = await callsOf(sized);
      expect(calls.length).to.be.above(1);
      expect(calls.flatMap(({ names }) => names).join()).to.equal(
        Array.from({ length: sized.count }, (_, n) => `test ${n}`).join(),
      );
      for (const { names, bytes } of calls) {
        expect(names.length).to.be.at.most(limits.itemsPerSubmission);
        expect(bytes).to.be.below(limits.submissionBytes);
      }
      expect(calls.map(({ last }) => last)).to.deep.equal([...calls.slice(1).map(() => false), true]);
    }
  });

  it('have all attempts of a retried test in the last one', async () => {
    const named = (n: number) => (n % 30_000 === 0 ? 'retried' : `test ${n}`);
    const calls = await callsOf({ count: 90_001, named }, ['retried']);
    expect(calls.at(-1)!.names).to.deep.equal(['retried', 'retried', 'retried', 'retried']);
    expect(calls.flatMap(({ names }) => names)).to.have.length(90_001);
  });

  it('lose no result where more tests are retried than fit into one', async () => {
    const named = (n: number) => `test ${n % 60_000}`;
    const retried = Array.from({ length: 60_000 }, (_, n) => `test ${n}`);
    const calls = await callsOf({ count: 120_000, named }, retried);
    for (const { names } of calls) expect(names.length).to.be.at.most(limits.itemsPerSubmission);
    expect(calls.flatMap(({ names }) => names).sort()).to.deep.equal([...retried, ...retried].sort());
    expect(calls.filter(({ last }) => last)).to.have.length(1);
  });

  it('have the files of their results, also those of retried tests', async () => {
    const body = (n: number) => (n % 3_000 === 0 ? `output of ${n} `.repeat(n / 10 + 1) : null);
    for (const retried of [[], ['test 3000', 'test 40001']]) {
      const calls = await callsOf({ count: 60_001, body }, retried);
      const files = Object.assign({}, ...calls.map(({ files }) => files)) as Record<string, string>;
      expect(Object.keys(files)).to.have.length(21);
      for (const [name, text] of Object.entries(files)) {
        const n = Number(name.slice('test '.length));
        expect(text === body(n), name).to.equal(true);
      }
    }
  });

  it('have no result of a file that turned out to be broken', async () => {
    const calls = openCalls();
    const sized = {
      count: 0,
      message: 'x'.repeat(200),
      body: (n: number) => (n % 100 === 0 ? `output of ${n}` : null),
    };
    const add = (from: number, to: number) => {
      for (let n = from; n < to; n += 1) calls.add(result(n, sized));
    };
    add(0, 5);
    const few = calls.here();
    add(5, 2_000);
    calls.backTo(few);
    add(25_000, 80_000);
    const many = calls.here();
    add(85_000, 86_000);
    calls.backTo(many);
    const sent = await sentBy(calls, []);
    calls.close();
    const kept = [...Array(5).keys(), ...Array.from({ length: 55_000 }, (_, n) => 25_000 + n)];
    expect(sent.flatMap(({ names }) => names).join()).to.equal(kept.map((n) => `test ${n}`).join());
    const files = Object.assign({}, ...sent.map((call) => call.files)) as Record<string, string>;
    const withFile = kept.filter((n) => n % 100 === 0).map((n) => [`test ${n}`, `output of ${n}`]);
    expect(files).to.deep.equal(Object.fromEntries(withFile));
  });
});
