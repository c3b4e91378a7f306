/** The lists of the page "Today". */
import type { ComponentChildren } from 'preact';
import { counted, number, Outcome } from '../../parts/outcome.js';
import { Owner } from '../../parts/owner.js';
import { filtered } from '../../parts/filter/filter.js';
import { Ago } from '../../parts/time.js';
import { cut, shortCommit, visible } from '../../text/short.js';
import type { Today } from './today.js';

type Base = { base: string };
type Run = Today['running']['items'][number];
type ShownRun = Omit<Run, 'project_id' | 'project'>;

/** The signs of a name beside others. */
const WORD = 40;

export function Red({ items, total, base }: Today['red'] & Base) {
  return (
    <Section title="Red" total={total} shown={items.length}>
      {items.map(({ project_id, project, branch, newest, since, runs }) => (
        <Row project={project} href={`${base}/projects/${project_id}`} of="failed">
          <a class="title" href={`${base}/runs/${newest.id}`}>
            {cut(branch, WORD)}
          </a>{' '}
          <Line of={newest} />
          <p class="soft small">
            {runs === 1 ? 'since this run' : `for ${counted(runs, 'run')}, since`}{' '}
            {runs > 1 && (
              <>
                <a href={`${base}/runs/${since.id}`}>{visible(cut(since.title, 80))}</a>
              </>
            )}
            <By {...since} />
          </p>
        </Row>
      ))}
    </Section>
  );
}

const reasons = {
  no_run: 'has no completed run: its runs may not name their branch, or another branch is the default one',
  empty: 'ran without results',
  incomplete: 'did not report all of its results',
} as const;

export function WithoutVerdict({ items, total, base }: Today['without_verdict'] & Base) {
  return (
    <Section title="Without a verdict" total={total} shown={items.length}>
      {items.map(({ project_id, project, branch, reason, newest }) => (
        <Row project={project} href={`${base}/projects/${project_id}`} of="pending">
          <span class="title">{cut(branch, WORD)}</span> {reasons[reason]}
          <p class="soft small break">
            newest run:{' '}
            <a class="break" href={`${base}/runs/${newest.id}`}>
              {visible(cut(newest.title, 80))}
            </a>{' '}
            <Line of={newest} />
            <By {...newest} />
          </p>
        </Row>
      ))}
    </Section>
  );
}

export function Causes({ items, total, base }: Today['causes'] & Base) {
  return (
    <Section title="New causes of failures" total={total} shown={items.length}>
      {items.map(
        ({ project_id, project, group, title, results, runs, first_run, first_seen, owner, state }) => (
          <Row project={project} href={`${base}/projects/${project_id}/failures`} of="failed" owner={owner}>
            <a
              class="title break"
              href={`${base}/projects/${project_id}/failures/${encodeURIComponent(group)}`}
            >
              {visible(cut(title, 160))}
            </a>{' '}
            {state === 'came_back' && <span class="badge failed">came back</span>}
            <p class="soft small">
              {counted(results, 'failure')} in {counted(runs, 'run')}, first in{' '}
              {first_run === null ? (
                <Ago at={first_seen.at} />
              ) : (
                <>
                  <a href={`${base}/runs/${first_run.id}`}>{visible(cut(first_run.title, 80))}</a>
                  <By {...first_run} />
                </>
              )}
            </p>
          </Row>
        ),
      )}
    </Section>
  );
}

export function Flaky({ items, total, base }: Today['flaky'] & Base) {
  return (
    <Section title="Newly flaky" total={total} shown={items.length}>
      {items.map(({ project_id, project, test_id, name, owner, run }) => (
        <Row
          project={project}
          href={filtered(`${base}/projects/${project_id}/tests`, { state: 'flaky' })}
          of="flaky"
          owner={owner}
        >
          <a class="title break" href={`${base}/projects/${project_id}/tests/${test_id}`}>
            {visible(name)}
          </a>
          {run !== null && (
            <p class="soft small">
              shown by <a href={`${base}/runs/${run.id}`}>{visible(cut(run.title, 80))}</a>
              <By {...run} />
            </p>
          )}
        </Row>
      ))}
    </Section>
  );
}

export function Ending({ items, total, base }: Today['ending'] & Base) {
  return (
    <Section title="Known failures that end this week" total={total} shown={items.length}>
      {items.map(({ project_id, project, test_id, name, owner, reason, expires_at }) => (
        <Row
          project={project}
          href={filtered(`${base}/projects/${project_id}/tests`, { state: 'known' })}
          of="known_fail"
          owner={owner}
        >
          <a class="title break" href={`${base}/projects/${project_id}/tests/${test_id}`}>
            {visible(name)}
          </a>
          <p class="soft small">
            ends <Ago at={expires_at} /> · {cut(reason, 160)}
          </p>
        </Row>
      ))}
    </Section>
  );
}

export function Running({ items, total, base }: Today['running'] & Base) {
  return (
    <Section title="Running" total={total} shown={items.length}>
      {items.map(({ project_id, project, ...run }) => (
        <Row project={project} href={`${base}/projects/${project_id}`} of="running">
          <a class="title" href={`${base}/runs/${run.id}`}>
            {visible(run.title)}
          </a>{' '}
          <Line of={run} />
          <p class="soft small">
            {run.branch !== null && cut(run.branch, WORD)}
            <By {...run} />
          </p>
        </Row>
      ))}
    </Section>
  );
}

function Section({
  title,
  total,
  shown,
  children,
}: {
  title: string;
  total: number;
  shown: number;
  children: ComponentChildren;
}) {
  return (
    <section class="today">
      <h2>
        {title} <span class="count">{number(total)}</span>
      </h2>
      <ul class="panel rows">{children}</ul>
      {total > shown && (
        <p class="soft small">The first {number(shown)} are shown; the pages of the projects have all.</p>
      )}
    </section>
  );
}

function Row({
  project,
  href,
  of,
  owner = null,
  children,
}: {
  project: string;
  href: string;
  of: string;
  owner?: string | null;
  children: ComponentChildren;
}) {
  return (
    <li data-row={of === 'failed' ? 'failed' : ''}>
      <Outcome of={of} plain />
      <div class="what">{children}</div>
      {owner !== null && <Owner name={owner} />}
      <a class="project soft clip" href={href}>
        {visible(project)}
      </a>
    </li>
  );
}

/** Which of the lines of a branch it is. */
function Line({ of: { tool, environment_key } }: { of: ShownRun }) {
  const parts = [tool, environment_key].filter((part) => part !== null && part !== '');
  if (parts.length === 0) return null;
  return <span class="soft small">{cut(parts.join(', '), 2 * WORD)}</span>;
}

function By({ actor, commit, at }: ShownRun) {
  return (
    <>
      {commit !== null && (
        <>
          {' '}
          <code>{shortCommit(commit)}</code>
        </>
      )}
      {actor !== null && <> by {cut(actor, WORD)}</>}, <Ago at={at} />
    </>
  );
}
