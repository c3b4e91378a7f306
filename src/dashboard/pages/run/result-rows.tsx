/** Results as rows of a table. */
import { onOneLine } from '../../../domain/text/harmless.js';
import { Outcome, outcomeWord } from '../../parts/outcome.js';
import { Owner } from '../../parts/owner.js';
import { duration } from '../../parts/time.js';
import type { Sorting } from '../../parts/lists/sorting.js';
import { Table } from '../../parts/lists/table.js';
import type { Links } from './links.js';
import type { Result } from './read-run.js';
import { visible } from '../../text/short.js';

export type Note = { title: string; of(result: Result): string };

/**
 * `notes`: more about a result, each in a column of its own. `of`: the run whose results they are, where that is another one than the run
 * of the page: then a sign would look like an outcome here.
 */
export function ResultTable({
  results,
  links,
  label,
  notes = [],
  of,
  sorting,
}: {
  results: readonly Result[];
  links: Links;
  label: string;
  notes?: readonly Note[];
  of?: string | undefined;
  /** Of a list that can be sorted: its status has a column of its own then. */
  sorting?: Sorting;
}) {
  // A column without content would only be in the way.
  const hasOwner = results.some(({ owner }) => owner !== null);
  const noted = notes.filter((note) => results.some((result) => note.of(result) !== ''));
  return (
    <Table
      aria-label={label}
      {...(sorting && { sorting })}
      columns={{
        ...(sorting && { Status: { class: '', sort: 'status', first: 'asc' } as const }),
        Test: '',
        ...(hasOwner && { Owner: 'wide-only' }),
        ...Object.fromEntries(noted.map(({ title }) => [title, 'wide-only'])),
        Duration: { class: 'number', sort: 'duration', first: 'desc' },
      }}
    >
      {results.map((result) => (
        <tr data-row={result.status === 'failed' && of === undefined ? 'failed' : ''}>
          {sorting && (
            <td class="nowrap sign-cell">
              <Outcome of={result.status} />
            </td>
          )}
          <td>
            <div class="test-cell">
              {of === undefined && sorting === undefined && <Outcome of={result.status} plain />}
              <div>
                <a class="break" href={links.result(result.id)}>
                  {visible(result.name)}
                </a>
                {of !== undefined && (
                  <span class="soft small">
                    {' '}
                    {outcomeWord(result.status)} in {of}
                  </span>
                )}
                {result.superseded_by !== null && (
                  <span class="badges">
                    <span class="badge">earlier attempt</span>
                  </span>
                )}
                {result.status === 'failed' && <FirstLine of={result} />}
              </div>
            </div>
          </td>
          {hasOwner && (
            <td class="wide-only soft small">{result.owner !== null && <Owner name={result.owner} />}</td>
          )}
          {noted.map((note) => (
            <td class="wide-only soft small">{note.of(result)}</td>
          ))}
          <td class="number soft">{result.status === 'skipped' ? '–' : duration(result.duration_ms)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The first line of an error, cut. */
function FirstLine({ of }: { of: Pick<Result, 'error' | 'error_message'> }) {
  const text = messageOf(of);
  return text === '' ? null : <span class="clip mono soft">{text}</span>;
}

export function messageOf({ error, error_message }: Pick<Result, 'error' | 'error_message'>): string {
  const text = (error?.message ?? error_message ?? '').trimStart();
  // Only the beginning of a text that may have megabytes.
  return onOneLine(text.slice(0, 2_000).split('\n', 1)[0] ?? '', 200);
}
