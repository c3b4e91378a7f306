/** What there is to say of a result first, in words. */
import { Ago } from '../../parts/time.js';
import { To } from '../../parts/to.js';
import type { Links } from '../run/links.js';
import { failingPlace, shortCommit } from '../../text/short.js';
import { onOneLine } from '../../../domain/text/harmless.js';
import type { ResultView } from './load.js';

/** Places that are named; the facts have all of them. */
const PLACES = 3;

/** "Fails since this run; 49 of 50 passed before. Also on feature/gift-cards." Nothing for what did not fail. */
export function Verdict({ view, links }: { view: ResultView; links: Links }) {
  const { result, attempts } = view;
  if (result.status !== 'failed') return null;
  const later = attempts.find(({ result_id }) => result_id === result.superseded_by);
  return (
    <p class="verdict">
      <Since view={view} links={links} /> <Also places={result.also_fails_on ?? []} />
      {result.known && 'It is a known failure. '}
      {later?.status === 'passed' && 'A later attempt passed. '}
    </p>
  );
}

function Since({ view, links }: { view: ResultView; links: Links }) {
  const { failing_since: since, last_passed, test_run_id } = view.result;
  const before = passedBefore(view);
  if (since === null) return <strong>Failed{before}.</strong>;
  if (since.run_id === test_run_id) {
    return (
      <>
        <strong>Fails since this run</strong>
        {before === '' && last_passed === null ? '; it never passed on this branch' : before}.
      </>
    );
  }
  return (
    <>
      <strong>
        Fails since{' '}
        <To href={since.run_id === null ? undefined : links.run(since.run_id)}>
          <Ago at={since.at} />
        </To>
      </strong>
      {since.commit !== null && (
        <>
          {' '}
          (<code class="name break">{shortCommit(since.commit)}</code>)
        </>
      )}
      {last_passed === null ? '; it never passed on this branch' : ''}.
    </>
  );
}

/** Of the outcomes of its test on the branch before its run; empty where none is known. */
function passedBefore({ result, outcomes, run }: ResultView): string {
  const at = outcomes.findIndex(({ result_id }) => result_id === result.id);
  const branch = outcomes[at]?.branch ?? run?.branch ?? null;
  const before = outcomes
    .slice(at + 1)
    .filter(
      (outcome) =>
        at !== -1 &&
        outcome.branch === branch &&
        outcome.superseded_by === null &&
        (outcome.test_run_id === null || outcome.test_run_id !== result.test_run_id) &&
        (outcome.status === 'passed' || outcome.status === 'failed'),
    )
    .slice(0, 50);
  if (before.length === 0) return '';
  const passed = before.filter(({ status }) => status === 'passed').length;
  return `; ${passed} of ${before.length} passed before`;
}

type Places = NonNullable<ResultView['result']['also_fails_on']>;

function Also({ places }: { places: Places }) {
  if (places.length === 0) return null;
  const named = places.slice(0, PLACES);
  return (
    <>
      Also on{' '}
      {named.map((place, n) => (
        <>
          {n > 0 && ', '}
          <span class="mono name break">{onOneLine(failingPlace(place), 80)}</span>
        </>
      ))}
      {places.length > PLACES && ` and ${places.length - PLACES} more`}.{' '}
    </>
  );
}
