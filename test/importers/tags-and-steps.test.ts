import { expect } from 'chai';
import { stepsReader } from '../../src/importers/steps.js';
import { entriesOf } from './read-corpus.js';

async function metadataOf(report: string | object): Promise<Record<string, unknown>> {
  const text = typeof report === 'string' ? report : JSON.stringify(report);
  const [first] = await entriesOf(text);
  return first?.type === 'result' ? (first.item.metadata ?? {}) : {};
}

describe('importers: tags', () => {
  const reports: Record<string, string | object> = {
    'JUnit, properties tag and tags':
      '<testsuite name="s"><testcase name="t"><properties><property name="tag" value="fast"/><property name="tags" value="shop, fast"/></properties></testcase></testsuite>',
    CTRF: { results: { tests: [{ name: 't', status: 'passed', tags: ['fast', 'shop', 'fast'] }] } },
    Playwright: {
      suites: [
        {
          title: 'a',
          specs: [{ title: 't', tags: ['fast', 'shop'], tests: [{ results: [{ status: 'passed' }] }] }],
        },
      ],
    },
    NUnit:
      '<test-run><test-case name="t" result="Passed"><properties><property name="Category" value="fast"/><property name="Category" value="shop"/></properties></test-case></test-run>',
    xUnit:
      '<assemblies><assembly name="a"><collection><test name="t" result="Pass"><traits><trait name="Category" value="fast"/><trait name="Category" value="shop"/></traits></test></collection></assembly></assemblies>',
    TRX: '<TestRun><Results><UnitTestResult testId="1" testName="t" outcome="Passed"/></Results><TestDefinitions><UnitTest id="1"><TestCategory><TestCategoryItem TestCategory="fast"/><TestCategoryItem TestCategory="shop"/></TestCategory></UnitTest></TestDefinitions></TestRun>',
    Robot:
      '<robot><suite name="s"><test name="t"><tag>fast</tag><tag>shop</tag><status status="PASS"/></test></suite></robot>',
  };

  for (const [format, report] of Object.entries(reports))
    it(`are those of ${format}, each once`, async () => {
      expect((await metadataOf(report)).tags).to.deep.equal(['fast', 'shop']);
    });

  it('are no more and no longer than the API takes, so that they are understood', async () => {
    const tags = ['x'.repeat(65), '', ' ', 7, null, ...Array.from({ length: 30 }, (_, n) => `tag ${n}`)];
    const found = await metadataOf({ results: { tests: [{ name: 't', status: 'passed', tags }] } });
    expect(found.tags).to.have.length(20).and.to.include('7').and.not.to.include('x'.repeat(65));
  });
});

describe('importers: steps', () => {
  it('are those of test.step in a report of Playwright', async () => {
    const steps = [
      { title: 'open', duration: 3 },
      {
        title: 'pay',
        duration: 5,
        error: { message: 'no' },
        steps: [{ title: 'check', error: { message: 'no' } }],
      },
    ];
    const results = [{ status: 'failed', errors: [{ message: 'no' }], steps }];
    const report = { suites: [{ title: 'a', specs: [{ title: 't', tests: [{ results }] }] }] };
    expect((await metadataOf(report)).steps).to.deep.equal([
      { name: 'open', duration_ms: 3 },
      {
        name: 'pay',
        status: 'failed',
        duration_ms: 5,
        error: 'no',
        steps: [{ name: 'check', status: 'failed', error: 'no' }],
      },
    ]);
  });

  it('are those of CTRF', async () => {
    const steps = [{ name: 'open', status: 'passed' }, { name: 'pay', status: 'failed' }, { name: 'x' }];
    const report = { results: { tests: [{ name: 't', status: 'failed', steps }] } };
    expect((await metadataOf(report)).steps).to.deep.equal([
      { name: 'open' },
      { name: 'pay', status: 'failed' },
      { name: 'x', status: 'skipped' },
    ]);
  });

  it('have room for some, and for those that failed behind them', () => {
    const reader = stepsReader();
    reader.open('all');
    for (let n = 0; n < 1_000; n += 1) {
      reader.open(`step ${n} ${'x'.repeat(1_000)}`);
      reader.close({ status: 'passed' });
    }
    reader.open('pay');
    reader.close({ status: 'failed', error: 'y'.repeat(1_000) });
    reader.close({ status: 'failed' });
    reader.close({ status: 'passed' });
    const { steps, steps_left_out: left = 0 } = reader.fields();
    const inside = steps![0]!.steps!;
    expect(inside.at(-1)).to.deep.include({ name: 'pay', status: 'failed' });
    expect(inside.length + left).to.equal(1_001);
    expect(JSON.stringify(steps).length).to.be.below(20_000);
  });
});
