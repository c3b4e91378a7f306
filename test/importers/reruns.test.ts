import { expect } from 'chai';
import { entriesOf } from './read-corpus.js';

type Line = [status: string, name: string, attempt: number | undefined];

async function linesOf(report: string): Promise<Line[]> {
  const entries = await entriesOf(report);
  return entries.flatMap((entry): Line[] =>
    entry.type === 'result' ? [[entry.item.status, entry.item.name, entry.item.attempt]] : [],
  );
}

const ofPytest = (...cases: string[]) => `<testsuite name="pytest">${cases.join('')}</testsuite>`;
const ofGo = (attributes: string, ...cases: string[]) =>
  `<testsuite name="shop" ${attributes}>${cases.join('')}</testsuite>`;
const test = (name: string, content = '', className = 'shop') =>
  `<testcase classname="${className}" name="${name}">${content}</testcase>`;
const failed = '<failure message="no">no</failure>';
const failedInGo = '<failure message="Failed" type="">=== RUN</failure>';

describe('importers: attempts that a tool writes as cases', () => {
  it('are those of pytest-rerunfailures, also where other workers wrote cases between them', async () => {
    const report = ofPytest(test('a'), test('b'), test('a'), test('c'), test('a', failed), test('b'));
    expect(await linesOf(report)).to.deep.equal([
      ['failed', 'pytest › shop › a', 1],
      ['failed', 'pytest › shop › a', 2],
      ['failed', 'pytest › shop › a', 3],
      ['failed', 'pytest › shop › b', 1],
      ['passed', 'pytest › shop › b', 2],
      ['passed', 'pytest › shop › c', undefined],
    ]);
  });

  it('are none of pytest where the first case says why it failed, as that of a worker that crashed', async () => {
    expect(await linesOf(ofPytest(test('a', failed), test('a')))).to.deep.equal([
      ['failed', 'pytest › shop › a', undefined],
      ['passed', 'pytest › shop › a', undefined],
    ]);
  });

  it('are none of pytest where the suite counts each case, names differ in blanks, or a case is not empty', async () => {
    const counted = (tests: number, ...cases: string[]) =>
      `<testsuite name="pytest" tests="${tests}">${cases.join('')}</testsuite>`;
    const attempts = async (report: string) => (await linesOf(report)).map(([, , attempt]) => attempt);
    expect(await attempts(counted(1, test('a'), test('a', '<skipped/>')))).to.deep.equal([undefined]);
    expect(await attempts(counted(2, test('a'), test('a', '<skipped/>')))).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect(await attempts(ofPytest(test('t[a b]'), test('t[a  b]')))).to.deep.equal([undefined, undefined]);
    const output = '<system-out>x</system-out>';
    expect(await attempts(ofPytest(test('a', output), test('a')))).to.deep.equal([undefined, undefined]);
  });

  it('are those of gotestsum, and none of other tools that write reports of Go', async () => {
    const cases = [test('TestA', failedInGo), test('TestB'), test('TestA')];
    expect(await linesOf(ofGo('', ...cases))).to.deep.equal([
      ['passed', 'shop › TestB', undefined],
      ['failed', 'shop › TestA', 1],
      ['passed', 'shop › TestA', 2],
    ]);
    expect(await linesOf(ofGo('id="0"', ...cases))).to.deep.equal([
      ['failed', 'shop › TestA', undefined],
      ['passed', 'shop › TestB', undefined],
      ['passed', 'shop › TestA', undefined],
    ]);
  });

  it('are those of gotestsum where the suite or the class is set to the last part of the package', async () => {
    const short = test('TestA', failedInGo, 'example.com/shop') + test('TestA', '', 'example.com/shop');
    expect((await linesOf(ofGo('', short))).map(([, , attempt]) => attempt)).to.deep.equal([1, 2]);
  });

  it('come out before their next attempts where more than 8 MiB wait', async () => {
    const long = `<failure message="Failed" type="">${'x'.repeat(60_000)}</failure>`;
    const cases = Array.from({ length: 100 }, (_, n) => test(`Test${n}`, long));
    const lines = await linesOf(ofGo('', ...cases, test('Test0'), test('Test99')));
    expect(lines).to.have.length(102);
    expect(lines.filter(([, name]) => name.endsWith('Test0')).map(([, , attempt]) => attempt)).to.deep.equal([
      undefined,
      undefined,
    ]);
    expect(lines.filter(([, name]) => name.endsWith('Test99')).map(([, , attempt]) => attempt)).to.deep.equal(
      [1, 2],
    );
  });
});
