/**
 * The steps that a writer is stopped in: one step forward for the pair `left` and `right` and a numbered document of a
 * team, or the same into a new build that is then promoted.
 */
import type { Change, Document, DocumentKey, ViewWriter } from '../../../src/ports/views.js';
import { at, document, thingsSpec } from '../../contract/views/things.js';

export type Step = 'commit' | 'rebuild';

export const spec = thingsSpec();

/** How many numbered documents there are: the newest ones. */
export const KEPT = 5;

/** Commits the n-th state to a build that is at the one before. */
export async function commitStep(
  writer: ViewWriter,
  { build, epoch, n }: { build: number; epoch: number; n: number },
): Promise<void> {
  const from = (await writer.builds(spec.name)).find((one) => one.build === build)?.position ?? '';
  const ids = ['left', 'right', ...Array.from({ length: KEPT + 1 }, (_, back) => `n${n - back}`)];
  const keys = ids.map((id): DocumentKey => ({ collection: 'things', id }));
  const loaded = await writer.load(spec, build, keys);
  const changes = keys
    .map((key, place): Change => {
      const before = loaded[place] ?? null;
      return { ...key, before, after: after(key.id, before, n) };
    })
    .filter((change) => change.before !== change.after);
  await writer.commit(spec, { build, epoch, from, to: at(n), changes });
}

/** Folds the n-th state into a build with a higher number, and makes it the live one. */
export async function rebuildStep(
  writer: ViewWriter,
  { epoch, n }: { epoch: number; n: number },
): Promise<void> {
  const builds = await writer.builds(spec.name);
  const build = Math.max(...builds.map((one) => one.build)) + 1;
  await writer.prepare(spec, build);
  await commitStep(writer, { build, epoch, n });
  await writer.promote(spec, build, epoch);
}

function after(id: string, before: Document | null, n: number): Document | null {
  if (id === 'left' || id === 'right') return document({ n, at: id, team: `t${n % 3}` });
  const number = Number(id.slice(1));
  if (number <= n - KEPT || number < 1) return null;
  return before ?? document({ n: number, at: id, team: `t${number % 3}` });
}
