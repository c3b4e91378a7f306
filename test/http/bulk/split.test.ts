import { expect } from 'chai';
import fc from 'fast-check';
import { split, type Split } from '../../../src/http/bulk/split.js';

const limits = { items: 1_000, depth: 50 };

function splitText(text: string, more: Partial<typeof limits> = {}) {
  const bytes = Buffer.from(text);
  return split(bytes, (from, to) => bytes.toString('utf8', from, to), { ...limits, ...more });
}

/** The body put together again from its parts. @throws SyntaxError where one of them does not parse. */
function joined(found: Split): unknown {
  const value = JSON.parse(found.outline()) as { results?: unknown };
  const items = found.ends.map((_, ordinal) => JSON.parse(found.item(ordinal)) as unknown);
  return items.length === 0 ? value : { ...value, results: items };
}

describe('a body that is split', () => {
  const text = fc.oneof(
    fc.constantFrom('results', '"', '\\', ',', '[]', '{', ':', 'é', '😀', ''),
    fc.string(),
  );
  // V8 of Node 24 reads the name `\"` as `\` if another object had the name `\` at that place before. It compares the
  // bytes of the name that it expects, then looks for a quote, and takes the one of the escape for it.
  const name = text.filter((it) => !it.endsWith('\\'));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      text,
      fc.integer(),
      fc.constantFrom(null, true, false),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const body = fc.record(
    { project_id: text, metadata: value, results: fc.oneof(fc.array(value), value), extra: value },
    { requiredKeys: [] },
  );

  it('is the same when it is put together again, whatever its form', () => {
    fc.assert(
      fc.property(body, fc.constantFrom('', ' ', '\n\t'), (sent, indent) => {
        const found = splitText(JSON.stringify(sent, null, indent));
        if (typeof found === 'string') return expect.fail(found);
        expect(joined(found)).to.deep.equal(sent);
        expect(found.outlineNames).to.equal(Object.keys(sent).length);
        if (!Array.isArray(sent.results)) return;
        expect(found.ends).to.have.length(sent.results.length);
        sent.results.forEach((item, ordinal) => {
          if (typeof item !== 'object' || item === null || Array.isArray(item)) return;
          expect(found.names[ordinal]).to.equal(Object.keys(item).length);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('parses in parts exactly if it parses as a whole', () => {
    const mark = fc.constantFrom('"', '\\', ',', ':', '{', '}', '[', ']', ' ', '1', 'x', '');
    fc.assert(
      fc.property(body, fc.nat(), fc.nat(2), mark, (sent, place, drop, put) => {
        const whole = JSON.stringify(sent);
        const at = place % (whole.length + 1);
        const broken = whole.slice(0, at) + put + whole.slice(at + drop);
        const found = splitText(broken);
        expect(
          parses(() => (typeof found === 'string' ? JSON.parse('') : joined(found))),
          broken,
        ).to.equal(parses(() => JSON.parse(broken)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('has the list of that name, also written with escapes, only in the outermost object', () => {
    expect(splitText('{"\\u0072esults":[1,2]}')).to.deep.include({ names: [0, 0] });
    for (const other of ['{"result":[1]}', '{"a":{"results":[1]}}', '{"results":{"results":[1]}}', '[[1]]']) {
      expect(splitText(other), other).to.deep.include({ ends: [] });
    }
  });

  it('counts the commas of each item, at all of its levels, and none in a text', () => {
    const found = splitText('{"a":[1,2],"results":[{"b":1,"c":[1,2,{"d":",,"}]},{},[1,[2,3]],4],"e":[5,6]}');
    expect(found).to.have.property('commas').that.deep.equals([3, 0, 2, 0]);
  });

  it('counts a duplicate name twice', () => {
    const found = splitText('{"a":1,"a":2,"results":[{"n":1,"n":{"x":1}},{"n":[{"y":2}]}]}');
    expect(found).to.deep.include({ outlineNames: 3, names: [2, 1] });
  });

  it('is not split further once it has too many items or levels', () => {
    expect(splitText('{"results":[1,2,3]}', { items: 2 })).to.equal('too many');
    expect(splitText('{"results":[1,2]}', { items: 2 })).not.to.be.a('string');
    expect(splitText('{"a":[[[1]]]}', { depth: 3 })).to.equal('too deep');
    expect(splitText('{"a":[[1]]}', { depth: 3 })).not.to.be.a('string');
    expect(splitText('['.repeat(1_000_000))).to.equal('too deep');
  });
});

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
