import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import type { LedgerEvent } from '../../src/domain/events.js';
import { ALL_PARTITIONS } from '../../src/domain/partition.js';
import type { Document } from '../../src/domain/projection.js';
import { isLedgerError, LedgerError } from '../../src/errors.js';
import type { Commit, ViewWriter } from '../../src/ports/views.js';
import { foldInto, type Move, type Stages } from '../../src/projecting/fold.js';
import { at, happened, things } from './things.js';

/** A store whose commits take effect when they are let through. */
function slowStore(stages?: Stages<LedgerEvent>) {
  const stored = new Map<string, Document>();
  const waiting: { commit: Commit; end: (fault?: Error) => void }[] = [];
  const views = {
    load: async (_spec: unknown, _build: number, keys: readonly { id: string }[]) =>
      keys.map(({ id }) => stored.get(id) ?? null),
    commit: (_spec: unknown, commit: Commit) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({
          commit,
          end(fault) {
            if (fault !== undefined) return reject(fault);
            for (const { id, after } of commit.changes) {
              if (after === null) stored.delete(id);
              else stored.set(id, after);
            }
            resolve();
          },
        });
      }),
  } as unknown as ViewWriter;
  return { stored, waiting, fold: foldInto(things, views, stages) };
}

/** A move of one event of the thing `a`. */
function moveTo(n: number, more: boolean, value: number | null = n): Move {
  const events = [happened(n, 'a', value)];
  return { events, partitions: ALL_PARTITIONS, from: at(n - 1), to: at(n), more };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const ended = () => void (pending = false);
  promise.then(ended, ended);
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  return pending;
}

describe('folding ahead of the commit', () => {
  it('folds the next move while the commit of one with more to come is under way, on top of its documents', async () => {
    const { fold, waiting, stored } = slowStore();
    const { move, settle } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true));
    const second = move(moveTo(2, true));
    expect(await isPending(second), 'one commit at a time').to.equal(true);
    expect(waiting).to.have.length(1);
    waiting[0]!.end();
    await second;
    expect(waiting[1]!.commit.changes[0]!.before).to.deep.equal({ seen: [1], position: at(1) });
    const settled = settle();
    expect(await isPending(settled)).to.equal(true);
    waiting[1]!.end();
    await settled;
    expect(stored.get('a')).to.deep.equal({ seen: [1, 2], position: at(2) });
  });

  it('does not bring back a document that the commit under way removes', async () => {
    const { fold, waiting, stored } = slowStore();
    stored.set('a', { seen: [0], position: at(0) });
    const { move } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true, null));
    const second = move(moveTo(2, true));
    await isPending(second);
    waiting[0]!.end();
    await second;
    expect(waiting[1]!.commit.changes[0]).to.deep.include({
      before: null,
      after: { seen: [2], position: at(2) },
    });
  });

  it('puts the checkpoint of a move without documents behind the commit under way, and waits for neither', async () => {
    const { fold, waiting } = slowStore();
    const { move, settle } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true));
    await move({ ...moveTo(2, true), events: [] });
    await move({ ...moveTo(3, true), events: [] });
    const next = move(moveTo(4, true));
    expect(await isPending(next), 'one commit with documents at a time').to.equal(true);
    expect(waiting).to.have.length(1);
    for (const n of [0, 1]) {
      waiting[n]!.end();
      await isPending(next);
    }
    await next;
    // The two checkpoints are one.
    expect(waiting.map(({ commit }) => [commit.from, commit.to, commit.changes.length])).to.deep.equal([
      [at(0), at(1), 1],
      [at(1), at(3), 0],
      [at(3), at(4), 1],
    ]);
    expect(waiting[2]!.commit.changes[0]!.before).to.deep.equal({ seen: [1], position: at(1) });
    waiting[2]!.end();
    await settle();
  });

  it('moves no checkpoint behind a commit that failed', async () => {
    const { fold, waiting } = slowStore();
    const { move, settle } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true));
    await move({ ...moveTo(2, true), events: [] });
    waiting[0]!.end(new Error('not to be stored'));
    const fenced = (error: unknown) => isLedgerError(error, 'fenced');
    expect(await settle().catch(fenced)).to.equal(true);
    expect(waiting).to.have.length(1);
    expect(await move({ ...moveTo(3, true), events: [] }).catch(fenced)).to.equal(true);
  });

  it('ends a move without more to come when its own commit is written', async () => {
    const { fold, waiting } = slowStore();
    const moved = fold({ build: 1, epoch: 1 }).move(moveTo(1, false));
    expect(await isPending(moved)).to.equal(true);
    waiting[0]!.end();
    await moved;
  });

  it('folds nothing on top of a commit that failed, and then waits for each commit, to find the event', async () => {
    const { fold, waiting } = slowStore();
    const { move, settle } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true));
    const second = move(moveTo(2, true));
    await isPending(second);
    waiting[0]!.end(new Error('not to be stored'));
    const code = (error: unknown) => (isLedgerError(error) ? error.code : error);
    expect(await second.catch(code)).to.equal('fenced');
    expect(await settle().catch(code)).to.equal('fenced');
    expect(waiting).to.have.length(1);
    const again = fold({ build: 1, epoch: 2 }).move(moveTo(1, true));
    await isPending(again);
    waiting[1]!.end(new Error('not to be stored'));
    expect(String(await again.catch((error: unknown) => error))).to.equal('Error: not to be stored');
  });

  it('has the documents of a commit that failed in effects before the next commit, as when both are folded again', async () => {
    const effects: unknown[] = [];
    const { fold, waiting } = slowStore({
      enrich: async (events) => events as LedgerEvent[],
      beforeCommit: async (changes) => {
        effects.push(...changes.map(({ after }) => after));
        return changes;
      },
      afterCommit: async () => undefined,
    });
    const { move } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true));
    waiting[0]!.end(new Error('not to be stored'));
    const second = move(moveTo(2, true)).catch((error: unknown) => error);
    expect(isLedgerError(await second, 'fenced')).to.equal(true);
    expect(await isPending(Promise.resolve())).to.equal(false);
    expect(effects).to.deep.equal([
      { seen: [1], position: at(1) },
      { seen: [1, 2], position: at(2) },
    ]);
    await move(moveTo(3, true)).catch(() => undefined);
    expect(effects, 'nothing more is folded').to.have.length(2);
  });

  it('waits for a commit under way in a move without events, and says that it failed', async () => {
    const { fold, waiting } = slowStore();
    const { move } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true));
    const caughtUp = move({ ...moveTo(1, false), events: [], from: at(1), to: at(1) });
    expect(await isPending(caughtUp)).to.equal(true);
    waiting[0]!.end(new Error('not to be stored'));
    expect(isLedgerError(await caughtUp.catch((error: unknown) => error), 'fenced')).to.equal(true);
  });

  it('goes on with what is stored after a failed commit that its move waited for', async () => {
    const { fold, waiting } = slowStore();
    const { move } = fold({ build: 1, epoch: 1 });
    const failed = move(moveTo(1, false));
    await isPending(failed);
    waiting[0]!.end(new Error('not to be stored'));
    expect(String(await failed.catch((error: unknown) => error))).to.equal('Error: not to be stored');
    const again = move(moveTo(1, true));
    await isPending(again);
    expect(waiting[1]!.commit.changes[0]).to.deep.include({
      before: null,
      after: { seen: [1], position: at(1) },
    });
  });

  it('passes on that the store of an earlier commit is away', async () => {
    const { fold, waiting } = slowStore();
    const { move } = fold({ build: 1, epoch: 1 });
    await move(moveTo(1, true));
    waiting[0]!.end(new LedgerError('views_unavailable', 'away'));
    const failed = await move(moveTo(2, true)).catch((error: unknown) => error);
    expect(isLedgerError(failed, 'views_unavailable')).to.equal(true);
  });
});
