import { expect } from 'chai';
import fc from 'fast-check';
import { ImportError } from '../../src/importers/import-error.js';
import { entriesOf } from './read-corpus.js';

type Outcome = 'passed' | 'failed' | 'skipped' | 'error';
type Suite = { name: string; cases: { name: string; outcome: Outcome; output: string }[]; suites: Suite[] };

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const testCase = fc.record({
  name: text,
  outcome: fc.constantFrom<Outcome>('passed', 'failed', 'skipped', 'error'),
  output: text,
});
/** Suites that are nested up to `levels` deep. */
function suiteOf(levels: number): fc.Arbitrary<Suite> {
  return fc.record({
    name: text,
    cases: fc.array(testCase, { maxLength: 6 }),
    suites: levels === 0 ? fc.constant([]) : fc.array(suiteOf(levels - 1), { maxLength: 2 }),
  });
}
const suite = suiteOf(3);

describe('importers: properties', function () {
  this.timeout(60_000);

  it('gives each case that was written one result with its outcome', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(suite, { maxLength: 4 }), fc.boolean(), async (suites, inCdata) => {
        const written = suites.flatMap(outcomesOf);
        const entries = await entriesOf(
          `<testsuites>${suites.map((each) => xmlOf(each, inCdata)).join('')}</testsuites>`,
        );
        const summary = entries.at(-1);
        if (summary?.type !== 'summary') throw new Error('The last entry is no summary.');
        const { results, passed, failed, skipped } = summary.summary;
        expect({ results, passed, failed, skipped }).to.deep.equal({
          results: written.length,
          passed: written.filter((outcome) => outcome === 'passed').length,
          failed: written.filter((outcome) => outcome === 'failed' || outcome === 'error').length,
          skipped: written.filter((outcome) => outcome === 'skipped').length,
        });
        expect(entries.filter(({ type }) => type === 'result')).to.have.length(results);
      }),
      { numRuns: 200 },
    );
  });

  const hints = [
    '<testsuite name="s">',
    '<testcase name="a">',
    '</testcase>',
    '<failure message="',
    '<![CDATA[',
    ']]>',
    '&#27;',
    '&',
    '<?xml version="1.0" encoding="',
    'utf-16',
    '<!DOCTYPE x [',
    '{"results":{"tests":[',
    '{"suites":[',
    '"name":',
    '}',
    ']',
    '[[ATTACHMENT|',
    '\u001b[',
    '\ud800',
    '<TestRun>',
    '<UnitTestResult>',
    '<test-run>',
    '<test-suite result="Failed">',
    '<assemblies>',
    '<test name="',
    '"/>',
    '\0',
  ];
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .array(fc.oneof(fc.constantFrom(...hints), fc.string()), { maxLength: 30 })
      .map((parts) => Buffer.from(parts.join(''))),
  );

  it('answers any bytes with entries or with an ImportError', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), async (report, partial) => {
        try {
          expect((await entriesOf(report, { partial })).at(-1)?.type).to.equal('summary');
        } catch (error) {
          if (!(error instanceof ImportError)) throw error;
          expect(error.message.length).to.be.below(600);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function outcomesOf({ cases, suites }: Suite): Outcome[] {
  return [...cases.map(({ outcome }) => outcome), ...suites.flatMap(outcomesOf)];
}

function xmlOf({ name, cases, suites }: Suite, inCdata: boolean): string {
  const written = cases.map(({ name, outcome, output }) => {
    const body = inCdata ? `<![CDATA[${output.replaceAll(']]>', ']]&gt;')}]]>` : escape(output);
    return `<testcase name="${escape(name)}">${elementOf(outcome)}<system-out>${body}</system-out></testcase>`;
  });
  return `<testsuite name="${escape(name)}">${written.join('\n')}${suites.map((each) => xmlOf(each, inCdata)).join('')}</testsuite>`;
}

function elementOf(outcome: Outcome): string {
  switch (outcome) {
    case 'passed':
      return '';
    case 'failed':
      return '<failure message="m">text</failure>';
    case 'error':
      return '<error/>';
    case 'skipped':
      return '<skipped/>';
  }
}

function escape(plain: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return plain.replaceAll(/[&<>"]/g, (character) => entities[character]!);
}
