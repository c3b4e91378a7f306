import fc from 'fast-check';
import { issueText } from '../../../../src/cli/forge/issues/issue-text.js';
import type { Issue, Issues, IssueState, IssueText } from '../../../../src/cli/forge/issues/issues.js';
import { syncIssues } from '../../../../src/cli/forge/issues/sync.js';
import { expect } from 'chai';
import { causeOf, place } from './causes.js';

const groups = ['a', 'b', 'c'];

/** What happens before a round: a person changes an issue of this place in the list. */
type ByHand = { at: number; does: 'close' | 'open' | 'delete' };
type Job = {
  /** Which causes fail, as this job reads it: the other one may have asked earlier. */
  failing: string[];
  gone: string[];
  run: number;
  /** The request with which it is killed. */
  diesAt: number | null;
};
type Round = { byHand: ByHand[]; jobs: [Job, Job] };

const job: fc.Arbitrary<Job> = fc.record({
  failing: fc.subarray(groups),
  gone: fc.subarray(groups),
  run: fc.nat(3),
  diesAt: fc.option(fc.nat(8), { freq: 3 }),
});
const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    byHand: fc.array(fc.record({ at: fc.nat(8), does: fc.constantFrom('close', 'open', 'delete') }), {
      maxLength: 2,
    }),
    jobs: fc.tuple(job, job),
  }),
  { minLength: 1, maxLength: 5 },
);

class Killed extends Error {}

describe('issues of causes, synced by two jobs at once', () => {
  it('are never two open ones for one cause, whatever each job reads, when it is killed, and what people do between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, sequence) => {
        const store: Issue[] = [];
        let number = 0;
        for (const { byHand, jobs } of sequence) {
          for (const { at, does } of byHand) {
            const issue = store[at % Math.max(store.length, 1)];
            if (issue === undefined) continue;
            if (does === 'delete') store.splice(store.indexOf(issue), 1);
            else issue.isOpen = does === 'open';
          }
          const ends = jobs.map((each) => sync(forgeFor(each)).catch(unlessKilled));
          await scheduler.waitFor(Promise.all(ends));
          if ((await Promise.all(ends)).includes('killed')) continue;
          expect(openTwice(store)).to.deep.equal([]);

          /** The list is read in pages, and each page is what the forge has at that moment. */
          function forgeFor({ failing, gone, run, diesAt }: Job) {
            let requests = 0;
            const step = async (name: string) => {
              await scheduler.schedule(Promise.resolve(), name);
              requests += 1;
              if (requests - 1 === diesAt) throw new Killed();
            };
            const issues: Issues = {
              async *own() {
                for (let last = 0; ;) {
                  await step('list');
                  const page = store.filter((each) => each.number > last).slice(0, 2);
                  yield* page.map((each) => ({ ...each }));
                  if (page.length < 2) return;
                  last = page.at(-1)!.number;
                }
              },
              async create({ title, body }) {
                await step('create');
                number += 1;
                store.push({ number, isOpen: true, isDeclined: false, title, body, url: '' });
                const made = store.at(-1)!;
                await step('created');
                return made;
              },
              async update(wanted: number, change: IssueText & { state: IssueState }) {
                await step('update');
                const { state, ...text } = change;
                const issue = store.find((each) => each.number === wanted);
                if (issue) Object.assign(issue, text, { isOpen: state === 'open' });
              },
            };
            const causes = failing.map((group) => causeOf(group, { run: `run_${run}` }));
            return {
              issues,
              causes: { failing: async () => causes, isGone: async (group: string) => gone.includes(group) },
            };
          }
        }
      }),
      { numRuns: 1_000 },
    );
  }).timeout(120_000);
});

async function sync({ issues, causes }: { issues: Issues; causes: Parameters<typeof syncIssues>[1] }) {
  await syncIssues(issues, causes, {
    project: 'project_1',
    textOf: (cause) => issueText(cause, place),
    labels: [],
    most: 20,
    isDryRun: false,
  });
  return 'ended';
}

function unlessKilled(error: unknown): string {
  if (error instanceof Killed) return 'killed';
  throw error;
}

function openTwice(store: readonly Issue[]): string[] {
  const open = store.filter(({ isOpen }) => isOpen).map(({ body }) => body.split('\n')[0]!);
  return open.filter((mark, n) => open.indexOf(mark) !== n);
}
