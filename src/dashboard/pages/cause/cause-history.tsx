/** What happened to a cause: by people and by runs, with who and when. */
import type { components } from '../../../client/api.generated.js';
import { Linked } from '../../parts/texts/linked.js';
import { counted } from '../../parts/outcome.js';
import { withParams } from '../../parts/lists/pager.js';
import { Ago } from '../../parts/time.js';

export type Entry = components['schemas']['CauseEntry'];

const SHOWN = 10;
const MOST = 100;

/** How many entries the page asks for. */
export function entriesWanted({ searchParams }: URL): number {
  return searchParams.get('history') === 'all' ? MOST : SHOWN;
}

export function CauseHistory({
  entries,
  total,
  team,
  url,
}: {
  entries: readonly Entry[];
  total: number;
  team: string;
  url: URL;
}) {
  if (entries.length === 0) return null;
  const left = total - entries.length;
  return (
    <section aria-labelledby="history">
      <h2 id="history">
        History <span class="count">newest first</span>
      </h2>
      <ol class="history cause-history">
        {entries.map(({ type, at, run_id, text }) => (
          <li class={looks[type]}>
            <p class="break">
              <Linked text={text} />{' '}
              {run_id !== null && (
                <a class="small" href={`/teams/${team}/runs/${run_id}`}>
                  the run
                </a>
              )}
            </p>
            <p class="soft small">
              <Ago at={at} />
            </p>
          </li>
        ))}
      </ol>
      {left > 0 && (
        <p class="small">
          {entries.length < MOST ? (
            <a href={`${withParams(url, { history: 'all' })}#history`}>
              {counted(left, 'older entry', 'older entries')}
            </a>
          ) : (
            <span class="soft">The API has {counted(left, 'older entry', 'older entries')}.</span>
          )}
        </p>
      )}
    </section>
  );
}

/** By what it means for the cause. */
const looks: Readonly<Record<Entry['type'], string>> = {
  opened: 'is-failed',
  came_back: 'is-failed',
  fixed: 'is-passed',
  said: '',
  known: 'is-known',
  known_ended: '',
};
