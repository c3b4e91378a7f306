/** What happened to a cause, with the names of now, newest first. */
import { causeEntryDocuments, type CauseEntryDocument } from '../../../projections/causes/cause-entries.js';
import type { components } from '../../client/api.generated.js';
import { actorInSentence } from '../../domain/audit/actor.js';
import { sentenceOfCause } from '../../domain/causes/cause-fact.js';
import type { TypedViews } from '../../projecting/typed-views.js';
import type { NameOfActor } from '../actor-names.js';
import { findCounted, findPage, type CountedPage } from '../find-page.js';

export type CauseEntry = components['schemas']['CauseEntry'];

export type EntriesPart = { offset: number; limit: number; nameOf: NameOfActor };

export async function causeEntries(
  views: Pick<TypedViews, 'find'>,
  cause: string,
  { nameOf, ...part }: EntriesPart,
): Promise<CountedPage<CauseEntry>> {
  const sort = { field: 'place', direction: 'descending' } as const;
  const { items, total } = await findPage(findCounted(views, causeEntryDocuments), {
    where: { cause },
    sort,
    ...part,
  });
  return { items: await Promise.all(items.map((entry) => shown(entry, nameOf))), total };
}

async function shown({ at, actor, ...fact }: CauseEntryDocument, nameOf: NameOfActor): Promise<CauseEntry> {
  const by = actor === null ? null : await nameOf(actor);
  return {
    type: fact.what,
    at,
    by,
    run_id: 'run_id' in fact ? fact.run_id : null,
    text: sentenceOfCause(fact, actor === null ? '' : actorInSentence(actor, by)),
  };
}
