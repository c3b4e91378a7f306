import { expect } from 'chai';
import type { ImportedEntry, ImportOptions } from '../../src/importers/entry.js';
import { ImportError } from '../../src/importers/import-error.js';
import { importReport } from '../../src/importers/import-report.js';
import { entriesOf, entriesOfFile } from './read-corpus.js';

describe('importers: large and hostile reports', function () {
  this.timeout(120_000);

  for (const [states, open, close, filler] of [
    ['a CDATA section', '<![CDATA[', ']]>', 'a line of output with [brackets]\n'],
    ['a text with entities', '', '', 'a line of output &amp; more\n'],
    ['a comment', '<!--', '-->', 'a line of a comment - and more\n'],
  ] as const) {
    it(`reads 60 MB in ${states} with flat memory`, async () => {
      const before = memory();
      let most = 0;
      const entries = await read(
        `<testsuite name="s"><testcase name="t"><failure message="m"/><system-out>[begin]${open}`,
        filler,
        60 * 1_024 * 1_024,
        `${close}[end]</system-out></testcase><testcase name="after"/></testsuite>`,
        () => (most = Math.max(most, memory())),
      );
      const results = entries.filter((entry) => entry.type === 'result');
      expect(results.map(({ item }) => item.name)).to.deep.equal(['s › t', 's › after']);
      const [output] = results[0]!.attachments;
      const text = output?.source === 'body' ? Buffer.from(output.body).toString() : '';
      expect(text)
        .to.match(/^\[begin\]/)
        .and.to.match(/\[end\]$/);
      expect(text.length).to.be.below(66_000);
      expect((most - before) / 1e6).to.be.below(100);
    });
  }

  for (const [states, text, code] of [
    ['elements that are nested 100,000 deep', `<testsuites>${'<testsuite>'.repeat(100_000)}`, 'too_deep'],
    ['a name that does not end', `<${'a'.repeat(9_000_000)}`, 'too_large'],
    [
      'an attribute of 10 MB',
      `<testsuite><testcase name="${'x'.repeat(10_000_000)}"/></testsuite>`,
      'too_large',
    ],
    [
      'attributes without an end',
      `<testsuite ${Array.from({ length: 900_000 }, (_, n) => `a${n}=""`).join(' ')}`,
      'too_large',
    ],
    ['a declaration that does not end', `<!DOCTYPE t [${' '.repeat(9_000_000)}`, 'too_large'],
    ['a reference that does not end', `<testsuite name="&${'a'.repeat(1_000_000)}"/>`, 'malformed'],
    ['lists that are nested 100,000 deep', `{"results":{"tests":[${'['.repeat(100_000)}`, 'too_deep'],
    ['objects that are nested 100,000 deep', `{"suites":${'{"suites":'.repeat(100_000)}`, 'too_deep'],
    [
      'a value of 70 MB',
      `{"reportFormat":"CTRF","results":{"tests":[{"name":"${'x'.repeat(70_000_000)}`,
      'too_large',
    ],
  ] as const) {
    it(`refuses ${states}`, async () => {
      expect((await errorOf(text)).code).to.equal(code);
    });
  }

  it('escapes and bounds the text that an error shows', async () => {
    const error = await errorOf(
      `<testsuite>\n  ${'x'.repeat(500)}\u202e\u009b & ${'y'.repeat(500)}</testsuite>`,
    );
    expect(error.place?.line).to.equal(2);
    expect(error.place?.near.length).to.be.at.most(160);
    expect(error.message).to.match(/^report:2:\d+: junit: An ampersand is not escaped\. Near: "/);
    expect(error.message).to.contain(String.raw`\u009b`);
  });

  it('finds the same place of an error whatever the chunks are', async () => {
    const text = `<testsuite name="s">\r\n${'<testcase name="é"/>\n'.repeat(3_000)}<testcase name="a & b"/></testsuite>`;
    const places = [];
    for (const size of [1, 2, 1_000, 32_768, 1_000_000]) places.push((await errorOf(text, size)).place);
    expect(new Set(places.map((place) => `${place?.line}:${place?.column}`))).to.deep.equal(
      new Set(['3002:19']),
    );
  });

  it('yields nothing that is not complete but a failure, and says so, with partial', async () => {
    const entries = await entriesOfFile('hostile/truncated.xml', { partial: true });
    expect(entries.map(({ type }) => type)).to.deep.equal(['result', 'result', 'warning', 'summary']);
    expect(entries[1]).to.nested.include({ 'item.status': 'failed' });
    expect(entries[2]).to.include({ type: 'warning', code: 'incomplete', line: 3 });
    const json = await entriesOfFile('hostile/truncated.json', { partial: true });
    expect(json.map(({ type }) => type)).to.deep.equal(['result', 'warning', 'summary']);
  });

  it('fails with partial where the part that is cut off may have the failures that were counted', async () => {
    const cut =
      '<testsuites><testsuite name="s" tests="4" failures="1"><testcase name="one"/><testcase name="t';
    const items = (await entriesOf(cut, { partial: true })).flatMap((each) =>
      each.type === 'result' ? [`${each.item.status} ${each.item.name}`] : [],
    );
    expect(items).to.deep.equal(['passed s › one', 'failed (s)']);
  });

  it('takes waiting results of a broken report with partial', async () => {
    const names = async (text: string): Promise<string[]> =>
      (await entriesOf(text, { partial: true })).flatMap((each) =>
        each.type === 'result' ? [each.item.name] : [],
      );
    expect(
      await names('<TestRun><Results><UnitTestResult testName="one" outcome="Passed"/><Uni'),
    ).to.deep.equal(['one']);
    expect(await names('<testsuite name="s"><testcase name="t"/><testcase name="t"/><x')).to.deep.equal([
      's › t',
      's › t',
    ]);
  });

  it('refuses a known format that it does not import, also with partial', async () => {
    expect((await errorOf('<test-results/>', 10, { partial: true })).code).to.equal('unsupported_format');
    expect((await errorOf('', 10, { partial: true })).code).to.equal('empty_file');
  });
});

function memory(): number {
  return process.memoryUsage().rss;
}

/** Reads a report that has `filler` over and over between its beginning and its end. */
async function read(
  begin: string,
  filler: string,
  size: number,
  end: string,
  each: () => void,
): Promise<ImportedEntry[]> {
  const block = Buffer.from(filler.repeat(Math.ceil(65_536 / filler.length)));
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(begin);
    for (let sent = 0; sent < size; sent += block.length) {
      each();
      yield block;
    }
    yield Buffer.from(end);
  }
  const entries: ImportedEntry[] = [];
  for await (const group of importReport({ path: 'large', bytes: bytes() })) entries.push(...group);
  return entries;
}

async function errorOf(text: string, size = 65_536, options: ImportOptions = {}): Promise<ImportError> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const all = Buffer.from(text);
    for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
  }
  try {
    for await (const _ of importReport({ path: 'report', bytes: bytes(), ...options }));
  } catch (error) {
    if (error instanceof ImportError) return error;
    throw error;
  }
  throw new Error('The report was imported.');
}
