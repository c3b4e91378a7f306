/** The page after the sign-in: what needs somebody now, over all projects. */
import type { components } from '../../../client/api.generated.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { Live } from '../../parts/live.js';
import { counted, number } from '../../parts/outcome.js';
import { withParams } from '../../parts/lists/pager.js';
import { FirstSteps, readSteps } from './first-steps.js';
import { Causes, Ending, Flaky, Red, Running, WithoutVerdict } from './rows.js';

export type Today = components['schemas']['Today'];

const spans = { day: ['24 hours', 1], week: ['7 days', 7] } as const;
type Span = keyof typeof spans;

export const today: Page = {
  method: 'GET',
  path: '/teams/:team',
  role: 'viewer',
  liveQuery: ['since', 'who'],
  handle: (request) => show(request),
};

async function show(request: PageRequest): Promise<Shown> {
  const { api, url, team, onlyLive } = request;
  const span = spanIn(url);
  const who = (url.searchParams.get('who') ?? '').slice(0, 1_000);
  const query = { days: spans[span][1], ...(who !== '' && { who }) };
  const { data } = await api.get('/v1/today', { query });
  // The demo is one project, and a team that has nothing else is as new as before.
  const isNew = data.projects.looked_at < 2 && who === '' && onlyLive !== true;
  const steps = isNew ? await readSteps(request) : null;
  const base = `/teams/${team.team_id}`;
  const live = <List today={data} span={span} base={base} />;
  if (onlyLive === true) return { title: 'Today', body: live, live: { today: live } };
  return {
    title: titleOf(data),
    live: { today: live },
    body: (
      <>
        <div class="head">
          <h1>Today</h1>
          <Choices request={request} span={span} who={who} />
        </div>
        {steps !== null && data.projects.looked_at === 0 && <FirstSteps {...steps} request={request} />}
        <Live id="today">{live}</Live>
        {steps !== null && data.projects.looked_at > 0 && <FirstSteps {...steps} request={request} />}
      </>
    ),
  };
}

/** Its beginning is all that a tab shows. */
function titleOf({ causes, red, without_verdict }: Today): string {
  if (red.total > 0) return `✗ ${red.total} red · Today`;
  if (causes.total > 0) return `✗ ${causes.total} new · Today`;
  return without_verdict.total > 0 ? 'Today' : '✓ Today';
}

function spanIn({ searchParams }: URL): Span {
  return searchParams.get('since') === 'week' ? 'week' : 'day';
}

function Choices({ request: { url, person }, span, who }: { request: PageRequest; span: Span; who: string }) {
  const mine = namesOf(person).join(',');
  return (
    <div class="today-choices">
      <nav class="choices" aria-label="Since">
        {Object.entries(spans).map(([each, [text]]) => (
          <a
            href={withParams(url, { since: each === 'day' ? null : each })}
            aria-current={each === span ? 'true' : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      <nav class="choices" aria-label="Whose">
        <a href={withParams(url, { who: null })} aria-current={who === '' ? 'true' : undefined}>
          Everyone
        </a>
        <a href={withParams(url, { who: mine })} aria-current={who === mine ? 'true' : undefined}>
          Mine
        </a>
      </nav>
      <form class="filters" method="get" role="search">
        {span !== 'day' && <input type="hidden" name="since" value={span} />}
        <input
          name="who"
          type="search"
          value={who}
          maxLength={1_000}
          placeholder="Owners or authors"
          aria-label="Owners or authors, separated by commas"
        />
      </form>
    </div>
  );
}

/** What owners and authors may be called who are this person. */
function namesOf({ name, email }: PageRequest['person']): string[] {
  const [local = ''] = email.split('@', 1);
  return [...new Set([name, email, local, `@${local}`])].filter((each) => !each.includes(','));
}

function List({ today, span, base }: { today: Today; span: Span; base: string }) {
  const { causes, red, without_verdict, flaky, ending, running } = today;
  const parts = [
    <Red {...red} base={base} />,
    <WithoutVerdict {...without_verdict} base={base} />,
    <Causes {...causes} base={base} />,
    <Flaky {...flaky} base={base} />,
    <Ending {...ending} base={base} />,
  ].filter((_, n) => [red, without_verdict, causes, flaky, ending][n]!.total > 0);
  return (
    <>
      <p class="verdict">{verdictOf(today, span)}</p>
      {parts}
      {running.total > 0 && <Running {...running} base={base} />}
    </>
  );
}

function verdictOf({ causes, red, without_verdict, flaky, ending, projects }: Today, span: Span) {
  const said = [
    red.total > 0 && `${counted(red.total, 'default branch', 'default branches')} red`,
    without_verdict.total > 0 &&
      `${counted(without_verdict.total, 'default branch', 'default branches')} without a verdict`,
    causes.total > 0 && `${number(causes.total)} new ${causes.total === 1 ? 'cause' : 'causes'} of failures`,
    flaky.total > 0 && `${counted(flaky.total, 'test')} became flaky`,
    ending.total > 0 &&
      `${counted(ending.total, 'known failure')} ${ending.total === 1 ? 'ends' : 'end'} this week`,
  ].filter((each) => each !== false);
  if (said.length > 0) return `${said.join(', ')}.`;
  if (projects.looked_at === 0) return 'Nothing has run in the last 14 days.';
  const since = spans[span][0];
  return `✓ Nothing needs anybody: all default branches are green, and nothing new failed in ${since}. Enjoy the day.`;
}
