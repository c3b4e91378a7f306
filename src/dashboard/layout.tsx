/** What all pages share: the head, the bar at the top, the notice of stale data. */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { OPERATOR_TEAM } from '../commands/teams.js';
import type { Membership, SignedIn } from '../people/people.js';
import type { Assets, IconName } from './assets.js';
import { PastBanner } from './past/banner.js';
import { Form } from './parts/forms/form.js';
import type { Shown } from './page.js';

export type Around = {
  person: SignedIn | null;
  team: Membership | null;
  /** As it was requested. */
  url: URL;
  /** How far the read models are behind, in milliseconds. */
  lag: number;
  /** The moment that the page is of; null for now. */
  moment: string | null;
  assets: Assets;
};

/** The whole document. Everything in it is escaped, unless a part says otherwise. */
export function renderPage(page: Shown, around: Around): string {
  return `<!doctype html>\n${renderToString(<Document page={page} around={around} />)}`;
}

function Document({ page, around }: { page: Shown; around: Around }) {
  const { assets, person, team, url, lag, moment } = around;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${page.title} · testledger`}</title>
        <meta property="og:site_name" content="testledger" />
        <meta property="og:title" content={page.title} />
        {page.description !== undefined && <meta property="og:description" content={page.description} />}
        <link rel="icon" href={assets.path(iconOf(page.state))} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.path('style.css')} />
        <script type="module" src={assets.path('main.js')} />
      </head>
      <body data-live={page.live === undefined ? undefined : url.pathname + url.search}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <img src={assets.path('icon.svg')} alt="" width={20} height={20} />
            testledger
          </a>
          {team !== null && person !== null && <Navigation team={team} person={person} path={url.pathname} />}
          {person !== null && <Account person={person} />}
        </header>
        <main id="content" tabIndex={-1}>
          {lag > 0 && (
            <p class="notice" role="status">
              This page is {seconds(lag)} behind: the newest events are not in it yet.
            </p>
          )}
          {moment !== null && <PastBanner moment={moment} url={url} />}
          {page.body}
        </main>
      </body>
    </html>
  );
}

function iconOf(state: Shown['state']): IconName {
  switch (state) {
    case 'passed':
    case 'failed':
    case 'running':
      return `icon-${state}.svg`;
    default:
      return 'icon.svg';
  }
}

function Navigation({ team, person, path }: { team: Membership; person: SignedIn; path: string }) {
  const base = `/teams/${team.team_id}`;
  const others = person.memberships.filter(({ team_id }) => team_id !== team.team_id);
  return (
    <nav aria-label="Team">
      <NavLink href={base} here={path === base}>
        Today
      </NavLink>
      <NavLink
        href={`${base}/projects`}
        here={path !== base && !/^\/teams\/[^/]+\/(?:team|operations|search)/.test(path)}
      >
        Projects
      </NavLink>
      <NavLink href={`${base}/team`} here={path.startsWith(`${base}/team`)}>
        Team
      </NavLink>
      {team.role === 'owner' && team.team_id === OPERATOR_TEAM && (
        <NavLink href={`${base}/operations`} here={path === `${base}/operations`}>
          Operations
        </NavLink>
      )}
      <form class="search-all" method="get" action={`${base}/search`} role="search">
        <input name="q" placeholder="Search  Ctrl K" maxLength={255} aria-label="Search everything" />
      </form>
      {others.length === 0 ? (
        <span class="team-name">{team.team_name}</span>
      ) : (
        <details class="menu">
          <summary>{team.team_name}</summary>
          <ul>
            {others.map(({ team_id, team_name }) => (
              <li>
                <a href={`/teams/${team_id}`}>{team_name}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}

function NavLink({ href, here, children }: { href: string; here: boolean; children: ComponentChildren }) {
  return (
    <a href={href} aria-current={here ? 'page' : undefined}>
      {children}
    </a>
  );
}

function Account({ person }: { person: SignedIn }) {
  return (
    <details class="menu account">
      <summary>{person.name}</summary>
      <div>
        <p>
          <a href="/account">Your account</a>
          <br />
          <span class="small break">{person.email}</span>
        </p>
        <Form action="/sign-out" csrf={person.csrf}>
          <button type="submit">Sign out</button>
        </Form>
      </div>
    </details>
  );
}

function seconds(ms: number): string {
  return ms < 1_000 ? 'less than a second' : `${Math.round(ms / 1_000)} s`;
}
