/** The events of a run or of a result, as sentences, with what they changed and caused. */
import type { components } from '../../../client/api.generated.js';
import { onOneLine } from '../../../domain/text/harmless.js';
import { counted } from '../../parts/outcome.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { Ago } from '../../parts/time.js';
import type { TeamLinks } from '../run/links.js';

type Entry = components['schemas']['HistoryEntry'];
type EntryPage = { data: readonly Entry[]; pagination: { total: number } };

export const ENTRIES_PER_PAGE = 50;
const CHANGES_OPEN = 3;

/** The page of the entries, in their order. */
export function Entries({
  of: { data, pagination },
  url,
  links,
}: {
  of: EntryPage;
  url: URL;
  links: TeamLinks;
}) {
  const list = { url, page: pageOf(url), perPage: ENTRIES_PER_PAGE, total: pagination.total };
  return (
    <>
      <Paged list={list} shown={data.length} empty={null}>
        <List entries={data} links={links} />
      </Paged>
      <Pager {...list} />
    </>
  );
}

function List({ entries, links }: { entries: readonly Entry[]; links: TeamLinks }) {
  return (
    <ol class="history">
      {entries.map((entry) => (
        <li data-row="">
          <p class="soft small">
            <Ago at={entry.at} /> · <code>{entry.type}</code>
          </p>
          <p class="break">{entry.text}</p>
          <Changes entry={entry} />
          <Caused entry={entry} links={links} />
        </li>
      ))}
    </ol>
  );
}

function Changes({ entry: { id, changes, changes_left_out: more = 0 } }: { entry: Entry }) {
  if (changes.length === 0) return null;
  const list = (
    <table class="changes small">
      <tbody>
        {changes.map(({ field, from, to }) => (
          <tr>
            <th scope="row" class="break">
              {field}
            </th>
            <td class="break">
              {isNothing(from) ? (
                value(to)
              ) : (
                <>
                  <del>{value(from)}</del> → {value(to)}
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  const left = more > 0 && <p class="soft small">and {counted(more, 'more change')} of the metadata</p>;
  if (changes.length <= CHANGES_OPEN && more === 0) return list;
  return (
    <details id={`changes-${id}`}>
      <summary class="small">{counted(changes.length + more, 'change')}</summary>
      {list}
      {left}
    </details>
  );
}

/** Only admins are shown deliveries. */
function Caused({ entry: { deliveries = [] }, links }: { entry: Entry; links: TeamLinks }) {
  if (deliveries.length === 0) return null;
  return (
    <p class="small">
      Caused {counted(deliveries.length, 'delivery', 'deliveries')}:{' '}
      {deliveries.slice(0, 10).map(({ webhook_id, state }, n) => (
        <>
          {n > 0 && ', '}
          <a href={links.webhook(webhook_id)}>{state}</a>
        </>
      ))}
    </p>
  );
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function value(of: unknown): string {
  if (isNothing(of)) return 'nothing';
  return onOneLine(typeof of === 'string' ? of : JSON.stringify(of), 300);
}
