/** What else is different from the baseline, each kind with its first results and a link to all of them. */
import { onOneLine } from '../../../domain/text/harmless.js';
import { failingPlace } from '../../text/short.js';
import { number } from '../../parts/outcome.js';
import type { Links } from './links.js';
import { type ListedKind, type Result, type RunFacts, type RunLists } from './read-run.js';
import { usuallyOf, type FlakyRates } from './of-tests.js';
import { ResultTable, type Note } from './result-rows.js';

type Section = {
  kind: ListedKind;
  title: string;
  /** What the results have in common. */
  about: string;
  /** Shown when it is opened only. */
  folded: boolean;
  note?: Note;
  /** The run whose results they are, where it is another one. */
  of?: string;
};

const attempts = {
  title: 'Attempt',
  of: ({ attempt, status }: Result) => (attempt > 1 ? `${status} on ${attempt}` : ''),
};
const branches = {
  title: 'Also fails on',
  of: ({ also_fails_on: others }: Result) =>
    (others ?? [])
      .slice(0, 3)
      .map((place) => onOneLine(failingPlace(place), 40))
      .join(', '),
};

const sections: readonly Section[] = [
  {
    kind: 'flaky',
    title: 'Flaky',
    about: 'They passed after an attempt that failed, or their test counts as flaky.',
    folded: false,
    note: attempts,
  },
  {
    kind: 'known',
    title: 'Known failures',
    about: 'Somebody has said that they fail. They do not fail the gate.',
    folded: true,
    note: branches,
  },
  { kind: 'fixed', title: 'Fixed', about: 'They failed in the baseline, and pass here.', folded: true },
  {
    kind: 'slower',
    title: 'Slower',
    about: 'They took more than 5 times as long as their test usually takes on the default branch.',
    folded: false,
    note: { title: 'Usually', of: usuallyOf },
  },
  {
    kind: 'removed',
    title: 'Removed',
    about:
      'Their tests ran in the baseline, and have not finished here. The results are those of the baseline, without tests that may have another name now.',
    folded: true,
    of: 'the baseline',
  },
  { kind: 'added', title: 'Added', about: 'Their tests did not run in the baseline.', folded: true },
];

type OtherProps = { facts: RunFacts; lists: RunLists; flakyRates: FlakyRates; links: Links };

export function Other({ facts, lists, flakyRates, links }: OtherProps) {
  return (
    <>
      {sections.map((section) => (
        <OtherSection
          section={section}
          facts={facts}
          results={lists.results[section.kind]}
          flakyRates={flakyRates}
          links={links}
        />
      ))}
    </>
  );
}

function OtherSection({
  section: { kind, title, about, folded, note, of },
  facts: { run, comparison },
  results,
  flakyRates,
  links,
}: {
  section: Section;
  facts: RunFacts;
  results: readonly Result[];
  flakyRates: FlakyRates;
  links: Links;
}) {
  const total = comparison.counts[kind];
  // What has not come yet is not removed.
  if (total === 0 || (kind === 'removed' && run.status !== 'completed')) return null;
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(kind === 'flaky' ? [{ title: 'Fails', of: ({ id }: Result) => flakyRates.get(id) ?? '' }] : []),
  ];
  const all = links.compare(run.id, `?kind=${kind}`);
  const content = (
    <>
      <p class="soft small">{about}</p>
      {results.length > 0 && (
        <ResultTable results={results} links={links} label={title} notes={notes} of={of} />
      )}
      {total > results.length && all !== undefined && (
        <p>
          <a href={all}>All {number(total)}</a>
        </p>
      )}
    </>
  );
  const head = (
    <>
      {title} <span class="count">{number(total)}</span>
    </>
  );
  if (!folded) {
    return (
      <section>
        <h2>{head}</h2>
        {content}
      </section>
    );
  }
  return (
    <details class="section" id={`of-${kind}`}>
      <summary>
        <h2>{head}</h2>
      </summary>
      {content}
    </details>
  );
}
