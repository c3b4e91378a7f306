/** The one field by which a list is filtered, what it understood of it, and what it could be filtered by. */
import { withParams } from '../lists/pager.js';
import { formatFilter } from './filter-text.js';
import { MOST_TEXT, withTerms, type Filter, type FilterField, type Vocabulary } from './filter.js';

/** The signs of a value that is offered or shown. */
const SHOWN = 60;
/** The values that are offered of a field. */
const OFFERED = 8;

export type FilterBarProps = {
  url: URL;
  vocabulary: Vocabulary;
  filter: Filter;
  /** Values that rows of the list have, by field. */
  known?: Readonly<Record<string, readonly (string | null)[]>>;
  /** The rows of the page are there as CSV, too. */
  hasFile?: boolean;
};

/** A button of the form that adds a term sends the text in the field with it. */
export function FilterBar({ url, vocabulary, filter, known = {}, hasFile = false }: FilterBarProps) {
  const others = [...url.searchParams].filter(([name]) => !['q', 'add', 'page'].includes(name));
  return (
    <form class="filter" method="get" action={url.pathname} role="search">
      {others.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="filter-line">
        <label for="filter" class="visually-hidden">
          Filter
        </label>
        <input
          id="filter"
          type="search"
          name="q"
          value={filter.text === '' ? '' : `${filter.text} `}
          placeholder={vocabulary.example}
          maxLength={MOST_TEXT}
          autocomplete="off"
          spellcheck={false}
          dir="auto"
        />
        <button type="submit">Filter</button>
      </div>
      <Chips url={url} vocabulary={vocabulary} filter={filter} />
      <div class="filter-foot">
        <Offered vocabulary={vocabulary} known={known} />
        <span class="filter-actions">
          {hasFile && (
            <a class="small" href={withParams(url, { format: 'csv' })}>
              CSV
            </a>
          )}
          <copy-button data-kind="link" data-text={url.pathname + url.search} data-label="Copy link" />
        </span>
      </div>
    </form>
  );
}

/** Each understood term with a link that takes it away; below them those that were left out. */
function Chips({ url, vocabulary, filter }: Pick<FilterBarProps, 'url' | 'vocabulary' | 'filter'>) {
  const { terms, refused, isCut } = filter;
  const without = (term: object) =>
    withTerms(
      url,
      terms.filter((each) => each !== term),
      vocabulary,
    );
  const understood = terms.filter((term) => refused.every((each) => each.term !== term));
  return (
    <>
      {understood.length > 0 && (
        <ul class="chips" aria-label="Filtered by">
          {understood.map((term) => {
            const text = formatFilter([term]);
            return (
              <li>
                <a class="chip" href={without(term)} aria-label={`Remove ${text}`}>
                  <bdi>{shortened(text)}</bdi> <span aria-hidden="true">×</span>
                </a>
              </li>
            );
          })}
          {understood.length > 1 && (
            <li>
              <a href={withTerms(url, [], vocabulary)}>Remove all</a>
            </li>
          )}
        </ul>
      )}
      {(refused.length > 0 || isCut) && (
        <div class="notice" role="status">
          {refused.map(({ term, why }) => (
            <p class="break">
              Left out: <code class="name">{shortened(formatFilter([term]))}</code>, because {why}.{' '}
              <a href={without(term)}>Remove it</a>
            </p>
          ))}
          {isCut && <p>Left out: the end of the filter, which is too long.</p>}
        </div>
      )}
    </>
  );
}

/** What the list can be filtered by. Scripts complete the text in the field from it (`browser/filter-bar.ts`). */
function Offered({
  vocabulary,
  known,
}: {
  vocabulary: Vocabulary;
  known: NonNullable<FilterBarProps['known']>;
}) {
  return (
    <details class="offered">
      <summary>Add a filter</summary>
      <dl>
        {Object.entries(vocabulary.fields).map(([name, field]) => (
          <Field name={name} field={field} values={valuesOf(field, known[name] ?? [])} />
        ))}
      </dl>
      <p class="soft small">
        {vocabulary.words !== null && `Words are looked for in ${vocabulary.words}. `}
        In quotes, a value may have spaces: <code>owner:"The shop team"</code>.
      </p>
    </details>
  );
}

function Field({ name, field, values }: { name: string; field: FilterField; values: readonly string[] }) {
  return (
    <div>
      <dt data-field={name}>
        <code>{name}:</code> <span class="soft small">{field.hint}</span>
      </dt>
      <dd>
        {values.map((value) => {
          const term = { not: false, field: name, value };
          return (
            <>
              <Add text={formatFilter([term])} shown={value} />
              {field.excludes === true && (
                <Add text={formatFilter([{ ...term, not: true }])} shown={`not ${value}`} />
              )}
            </>
          );
        })}
      </dd>
    </div>
  );
}

function Add({ text, shown }: { text: string; shown: string }) {
  return (
    <button type="submit" class="chip" name="add" value={text} aria-label={`Add ${text}`}>
      <bdi>{shortened(shown)}</bdi>
    </button>
  );
}

function valuesOf({ values, accepts, most = 255 }: FilterField, known: readonly (string | null)[]): string[] {
  const all = values ?? new Set(known);
  return [...all]
    .filter((value) => value !== null && value !== '' && value.length <= most && accepts?.(value) !== false)
    .slice(0, values === undefined ? OFFERED : undefined) as string[];
}

function shortened(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).toWellFormed()}…`;
}
