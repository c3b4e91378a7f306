import { expect } from 'chai';
import fc from 'fast-check';
import { forEachConcurrent } from '../../../src/concurrency/for-each-concurrent.js';
import { exitCodes } from '../../../src/cli/exit-codes.js';
import { testServer } from '../../kit/server.js';
import { importing, type SentReport, type ToldRun } from '../imported-run.js';
import { countsOf, formats, type Format } from '../formats.js';
import { entriesOf } from '../read-corpus.js';
import { flakyByName, numbered, sessions, truthOf, type SessionSuite } from './sessions.js';

/** The formats differ in how they are read. What becomes of the results is the same code for all of them. */
const READ_ONLY = 900;
/** Reports are sent together and read together: a read waits for all writes before it. */
const BATCH = 50;
const BATCHES = 2;
const AT_ONCE = 8;
const batches = fc.array(sessions, { minLength: BATCH, maxLength: BATCH });

describe('importers: a session has the counts, the outcome and the gate that its tool knows', function () {
  this.timeout(600_000);
  const { send, told } = importing(testServer());
  let number = 0;

  /** Writes the report of a session, which is read as its tool means it. */
  async function readBack(random: readonly SessionSuite[], { write, fit, hooks }: Format): Promise<Written> {
    number += 1;
    const key = `session ${number}`;
    const suites = numbered(fit?.(random) ?? random, number);
    const report = write(suites);
    expect(countsOf(await entriesOf(report)), report).to.deep.equal(truthOf(suites, hooks));
    return { suites, report, key };
  }

  async function sent(random: readonly SessionSuite[], format: Format): Promise<Sent> {
    const written = await readBack(random, format);
    return { ...written, run: await send(written.report, written.key) };
  }

  async function check({ suites, report, run }: Sent, { hooks, order }: Format): Promise<void> {
    const [said, truth] = [await told(run), toldOf(order?.(suites) ?? suites, hooks)];
    const message = `${report}\nis ${JSON.stringify(said)}\nnot ${JSON.stringify(truth)}\n`;
    expect(said, message).to.deep.equal(truth);
  }

  for (const format of formats) {
    it(`in ${format.name}`, async () => {
      await fc.assert(
        fc.asyncProperty(sessions, async (random) => void (await readBack(random, format))),
        { numRuns: READ_ONLY },
      );
      await fc.assert(
        fc.asyncProperty(batches, async (batch) => {
          const all: Sent[] = [];
          await forEachConcurrent(batch, AT_ONCE, async (random) => {
            all.push(await sent(random, format));
          });
          await forEachConcurrent(all, AT_ONCE, (each) => check(each, format));
        }),
        { numRuns: BATCHES },
      );
    });
  }
});

type Written = { suites: readonly SessionSuite[]; report: string; key: string };
type Sent = Written & { run: SentReport };

/** What the server and the gate must say of a session. An import without results makes no run; one of skips alone is empty. */
function toldOf(suites: readonly SessionSuite[], hooks: Format['hooks']): ToldRun | null {
  const { passed, failed, skipped, flaky } = truthOf(suites, hooks);
  const total = passed + failed + skipped;
  if (total === 0) return null;
  const empty = passed + failed === 0 ? exitCodes.failed : exitCodes.ok;
  const anyFailed = failed > 0 ? exitCodes.failed : empty;
  return {
    outcome: failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'skipped',
    passed,
    failed,
    skipped,
    total,
    flaky: flakyByName(suites),
    newFailures: failed,
    gate: anyFailed === exitCodes.ok ? 'passed' : 'failed',
    exits: {
      none: empty,
      new: anyFailed,
      any: anyFailed,
      flaky: flaky > 0 ? exitCodes.failed : anyFailed,
    },
  };
}
