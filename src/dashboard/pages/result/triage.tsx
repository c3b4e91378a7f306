/** The failures of the run of a failed result: a list beside it, and the way to the one before and the next one. */
import { filtered } from '../../parts/filter/filter.js';
import { onOneLine } from '../../../domain/text/harmless.js';
import { orNull } from '../../or-null.js';
import type { PageApi } from '../../page-api.js';
import { number } from '../../parts/outcome.js';
import type { Links } from '../run/links.js';
import { visible } from '../../text/short.js';
import type { TestResult } from './load.js';

/** Failures that the list has; the run leads to the others. */
const LISTED = 50;
/** Of a name in the list. */
const NAME = 160;

export type Triage = {
  /** Which of the failures the result is, from 1 on. */
  at: number;
  total: number;
  /** The page of the failures in which the result is. */
  listed: readonly { id: string; name: string; known: boolean; here: boolean }[];
  before: string | null;
  next: string | null;
};

/** Null for a result that is no failure of a run, and for the only one. An earlier attempt stands where the one that replaces it does. */
export async function loadTriage(api: Pick<PageApi, 'get'>, result: TestResult): Promise<Triage | null> {
  const { test_run_id: run, status } = result;
  if (status !== 'failed' || run === null) return null;
  const own = result.superseded_by ?? result.id;
  const failures = (query: { around: string } | { page: number }, per_page: number) =>
    orNull(
      api.get('/v1/test-runs/{id}/results', {
        params: { id: run },
        query: { status: 'failed', per_page, ...query },
      }),
    );
  const found = await failures({ around: own }, LISTED);
  const here = found?.data.findIndex(({ id }) => id === own) ?? -1;
  if (found === null || here === -1 || found.pagination.total < 2) return null;
  const { page, total } = found.pagination;
  const at = (page - 1) * LISTED + here + 1;
  // At the end of a page, the neighbour is on another one.
  const idAt = async (place: number): Promise<string | null> => {
    if (place < 1 || place > total) return null;
    const near = found.data[place - at + here];
    return near?.id ?? (await failures({ page: place }, 1))?.data[0]?.id ?? null;
  };
  const [before, next] = await Promise.all([idAt(at - 1), idAt(at + 1)]);
  const listed = found.data.map(({ id, name, known }) => ({ id, name, known, here: id === own }));
  return { at, total, listed, before, next };
}

export function FailuresOfRun({ triage, run, links }: { triage: Triage; run: string; links: Links }) {
  const { at, total, listed, before, next } = triage;
  return (
    <nav class="triage" aria-label="Failures of this run">
      <p class="triage-bar">
        <Step rel="prev" to={before} text="‹ Previous" links={links} />
        <span>
          {number(at)} of {number(total)}
        </span>
        <Step rel="next" to={next} text="Next ›" links={links} />
      </p>
      <ol class="triage-list">
        {listed.map(({ id, name, known, here }) => (
          <li>
            <a class="name break" href={links.result(id)} aria-current={here ? 'page' : undefined}>
              {visible(onOneLine(name, NAME))}
            </a>
            {known && <span class="badge known">known</span>}
          </li>
        ))}
      </ol>
      {total > listed.length && (
        <p class="small">
          <a href={filtered(links.results(run), { status: 'failed' })}>All {number(total)} failures</a>
        </p>
      )}
    </nav>
  );
}

function Step({ to, text, links, rel }: { to: string | null; text: string; links: Links; rel: string }) {
  if (to === null) return <span class="soft">{text}</span>;
  return (
    <a rel={rel} href={links.result(to)}>
      {text}
    </a>
  );
}
