import { plainTitles } from '../plain-contents.js';
import { expect } from 'chai';
import { limits } from '../../src/limits.js';
import { openFailureQueries } from '../../src/queries/failure-queries.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { embeddedStores } from '../stores.js';
import { foldHistory } from './fold-history.js';

/** A message with a number in it that the rule of anchors does not take for one. */
const numbered = (n: number) => `wrong ${String(n).replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)}`;

const failure = (error_message: string) => ({ status: 'Failed', error_message }) as const;

const { orderedGroups: ORDERED_GROUPS } = limits;

describe('the groups of failures', () => {
  const stores = embeddedStores('each test', { log: false });

  /** Queries over the whole of a ledger, with this baseline for every run. */
  async function queriesOver({ events }: ReturnType<typeof openMemoryLedger>, baseline: string | null) {
    await foldHistory(stores, events);
    return openFailureQueries(stores.reader, async () => baseline, plainTitles);
  }

  const given = () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const submit = (...messages: readonly string[]) => ledger.submit(project, messages.map(failure)).run;
    return { ledger, submit };
  };
  const shown = (items: readonly { title: string; results: number; new: boolean }[]) =>
    items.map(({ title, results, new: isNew }) => `${title} ${results}${isNew ? ' new' : ''}`);

  it('of a run that its baseline does not have come first, and say so', async () => {
    const { ledger, submit } = given();
    const baseline = submit('one', 'three');
    const run = submit('one', 'one', 'one', 'two', 'three', 'three', 'four', 'four');
    const queries = await queriesOver(ledger, baseline.id);
    const of = async (offset: number, limit: number) =>
      queries.ofRun({ id: run.id, project_id: run.project, team_id: run.team }, { offset, limit });
    const { items, total } = await of(0, 20);
    expect(shown(items)).to.deep.equal(['four 2 new', 'two 1 new', 'one 3', 'three 2']);
    expect(total).to.equal(4);
    expect(shown((await of(1, 2)).items)).to.deep.equal(['two 1 new', 'one 3']);
    expect(shown((await of(4, 2)).items)).to.deep.equal([]);
  });

  it('of a run are all new without a baseline', async () => {
    const { ledger, submit } = given();
    submit('one');
    const run = submit('one', 'two', 'two');
    const queries = await queriesOver(ledger, null);
    const { items } = await queries.ofRun(
      { id: run.id, project_id: run.project, team_id: run.team },
      { offset: 0, limit: 9 },
    );
    expect(shown(items)).to.deep.equal(['two 2 new', 'one 1 new']);
  });

  it('of a run beyond those that are put in order follow by their size, each once', async () => {
    const { ledger, submit } = given();
    const many = Array.from({ length: ORDERED_GROUPS + 10 }, (_, n) => numbered(n));
    const large = many.slice(0, ORDERED_GROUPS);
    const baseline = submit(numbered(0), numbered(ORDERED_GROUPS));
    const run = submit(...many, ...large);
    const queries = await queriesOver(ledger, baseline.id);
    const titles: string[] = [];
    for (let offset = 0; offset < many.length; offset += 90) {
      const part = { offset, limit: 90 };
      const { items, total } = await queries.ofRun(
        { id: run.id, project_id: run.project, team_id: run.team },
        part,
      );
      expect(total).to.equal(many.length);
      for (const { title, new: isNew, results } of items) {
        expect(isNew).to.equal(title !== numbered(0) && title !== numbered(ORDERED_GROUPS));
        expect(results).to.equal(large.includes(title) ? 2 : 1);
        titles.push(title);
      }
    }
    expect(titles[ORDERED_GROUPS - 1]).to.equal(numbered(0));
    expect(titles.toSorted()).to.deep.equal(many.toSorted());
  });
});
