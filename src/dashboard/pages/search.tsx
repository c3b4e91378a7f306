/** The search over everything. Scripts show what is found in a dialog (`browser/palette.ts`). */
import type { ComponentChildren } from 'preact';
import type { components } from '../../client/api.generated.js';
import { atLeast } from '../../domain/teams/team.js';
import type { Page } from '../page.js';
import { counted } from '../parts/outcome.js';
import { Owner } from '../parts/owner.js';
import { Ago } from '../parts/time.js';
import { cut, shortCommit, visible } from '../text/short.js';

type Found = components['schemas']['Found'];
type Link = { href: string; text: string };

export const search: Page = {
  method: 'GET',
  path: '/teams/:team/search',
  role: 'viewer',
  async handle({ api, url, team }) {
    const q = (url.searchParams.get('q') ?? '').trim().slice(0, 255);
    const found = q === '' ? null : (await api.get('/v1/search', { query: { q } })).data;
    const base = `/teams/${team.team_id}`;
    return {
      title: q === '' ? 'Search' : `${cut(q, 40)} · Search`,
      body: (
        <>
          <h1>Search</h1>
          <form class="filters" method="get" role="search" action={`${base}/search`}>
            <input type="search" name="q" value={q} maxLength={255} aria-label="Search everything" />
            <button type="submit">Search</button>
          </form>
          {found !== null && (
            <Lists found={found} pages={pagesFor(q, base, atLeast(team.role, 'admin'))} base={base} />
          )}
        </>
      ),
    };
  },
};

/** Pages that a person may look for by their names. */
function pagesFor(q: string, base: string, isAdmin: boolean): Link[] {
  const all = [
    { href: base, text: 'Today' },
    { href: `${base}/projects`, text: 'Projects' },
    { href: `${base}/team`, text: 'Team and members' },
    ...(isAdmin
      ? [
          { href: `${base}/team/keys`, text: 'API keys' },
          { href: `${base}/team/webhooks`, text: 'Webhooks' },
          { href: `${base}/team/audit`, text: 'Audit' },
          { href: `${base}/team/settings`, text: 'Settings of the team' },
        ]
      : []),
    { href: '/account', text: 'Your account' },
    { href: '/docs', text: 'API documentation' },
  ];
  return all.filter(({ text }) => text.toLowerCase().includes(q.toLowerCase()));
}

function Lists({ found, pages, base }: { found: Found; pages: readonly Link[]; base: string }) {
  const { projects, runs, tests, causes } = found;
  const total = projects.length + runs.length + tests.length + causes.length + pages.length;
  const project = (id: string) => `${base}/projects/${id}`;
  return (
    <div class="found">
      {total === 0 && <p class="soft">Nothing was found in the projects that ran of late.</p>}
      <List title="Projects" items={projects}>
        {({ id, name }) => <a href={project(id)}>{visible(name)}</a>}
      </List>
      <List title="Causes" items={causes}>
        {(cause) => (
          <>
            <a href={`${project(cause.project_id)}/failures/${encodeURIComponent(cause.group)}`}>
              {visible(cut(cause.title, 120))}
            </a>{' '}
            <Small>
              {counted(cause.runs, 'run')} · {cut(cause.project, 60)}
            </Small>
          </>
        )}
      </List>
      <List title="Tests" items={tests}>
        {(test) => (
          <>
            <a href={`${project(test.project_id)}/tests/${test.test_id}`}>{visible(test.name)}</a>{' '}
            <Small>
              {cut(test.project, 60)} {test.owner !== null && <Owner name={test.owner} />}
            </Small>
          </>
        )}
      </List>
      <List title="Runs" items={runs}>
        {(run) => (
          <>
            <a href={`${base}/runs/${run.id}`}>{visible(run.title)}</a>{' '}
            <Small>
              {run.commit !== null && <code>{shortCommit(run.commit)} </code>}
              {run.branch !== null && `${cut(run.branch, 40)} · `}
              {run.tool !== null && `${cut(run.tool, 40)} · `}
              {cut(run.project, 60)} · <Ago at={run.at} />
            </Small>
          </>
        )}
      </List>
      <List title="Pages" items={pages}>
        {({ href, text }) => <a href={href}>{text}</a>}
      </List>
    </div>
  );
}

function List<T>({
  title,
  items,
  children,
}: {
  title: string;
  items: readonly T[];
  children: (item: T) => ComponentChildren;
}) {
  if (items.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul class="panel">
        {items.map((item) => (
          <li class="break">{children(item)}</li>
        ))}
      </ul>
    </>
  );
}

function Small({ children }: { children: ComponentChildren }) {
  return <span class="soft small">{children}</span>;
}
