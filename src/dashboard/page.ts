/** A page as data: who may open it, and its handler. `handle-page.ts` does the rest. */
import type { VNode } from 'preact';
import type { RunState } from '../domain/runs/run-state.js';
import type { KeyRole } from '../domain/teams/team.js';
import type { Membership, People, SignedIn } from '../people/people.js';
import type { Client } from '../people/client.js';
import type { PageApi } from './page-api.js';
import type { ServerFacts } from './server-facts.js';

/** A page of a team: its path begins with `/teams/:team`. */
export type Page = {
  /** A GET shows something. A POST takes a form, changes something, and leads on to a page. */
  method: 'GET' | 'POST';
  path: `/teams/:team${string}`;
  /** The lowest role that may open it. */
  role: KeyRole;
  /**
   * For a page whose live parts change by more than the events of its team: they are rendered at this pace, in
   * milliseconds, while somebody has the page open. Left out: when the read models of the team have moved.
   */
  liveEveryMs?: number;
  /** The parameters of the query on which its live parts depend. They see no others. */
  liveQuery?: readonly string[];
  /** With `as_of`, it shows what it showed at that moment: its API then answers as of it, and nothing on it changes anything. */
  asOf?: true;
  /** For what nobody can undo: the person shows first that it is them, unless they have done so a moment ago. */
  asksAgain?(request: OpenPageRequest): boolean | Promise<boolean>;
  handle(request: PageRequest): Promise<PageReply>;
};

/** A page without a team: sign-in, links that are sent to a person, the way to a person's teams. */
export type OpenPage = {
  method: 'GET' | 'POST';
  path: string;
  asksAgain?: Page['asksAgain'];
  handle(request: OpenPageRequest): Promise<PageReply>;
};

export type OpenPageRequest = {
  /** Null where no person has signed in. */
  person: SignedIn | null;
  /** The token of the session cookie; null where the request has none. It need not be that of a session. */
  session: string | null;
  /** The parameters of the path, decoded. */
  params: Readonly<Record<string, string>>;
  /** The path and the query as they were sent: the state of the view is in them. */
  url: URL;
  /** The fields of a form; empty for a GET. */
  form: URLSearchParams;
  /** The address that the request came from. */
  address: string;
  /** What is kept of where it came from. */
  client: Client;
  /** Scheme, host and port by which the person reached the server, for links that they pass on. */
  origin: string;
  people: People;
  correlationId: string;
  /** The API, called as the person in one of their teams. @throws AppError `unauthorized` where nobody has signed in */
  apiIn(team: Membership, moment?: string | null): PageApi;
  /** Ends or begins a session: sets the cookie with the answer. Null removes it. */
  setSession(token: string | null): void;
  /** The cookie that binds a sign-in by the identity provider to this browser. */
  external: { token: string | null; set(token: string | null): void };
};

/** Where the files of artifacts are. */
export type Files = {
  /** Null where it is this server. */
  origin: string | null;
  /** The origin for files that can run scripts; null where there is none, so that they are downloads only. */
  untrustedOrigin: string | null;
  /** Without it, the two names of this machine are apart from each other. Default: they are not. */
  onLoopback?: boolean;
};

/** A text that nobody can read again, with what it is of. */
export type Once = { title: string; text: string };

export type PageRequest = OpenPageRequest & {
  /**
   * What a form has made, for the page that it leads to: a reload of that page makes nothing again. A page takes only
   * what was kept for its own path and person, and only once.
   */
  once: { keep(path: string, once: Once): void; take(): Once | null };
  person: SignedIn;
  files: Files;
  /** The team of the page, with the person's role in it. */
  team: Membership;
  /** The API, called as the person in this team. */
  api: PageApi;
  /** The API as of now, also where the page is as of another moment. */
  present: PageApi;
  /** The moment that the page is of; null for now. */
  moment: string | null;
  server: ServerFacts;
  /** Gets the fault of work that goes on after the answer. */
  report: (error: unknown) => void;
  /** Only `live` of the reply is used: a handler need not read the rest. */
  onlyLive?: boolean;
  /** How far the read models of the team are: the position of the last event in them. */
  position?(): Promise<string>;
};

export type PageReply = Shown | { redirect: string } | Text | Written;

/** A page in HTML. */
export type Shown = {
  /** Default: 200. */
  status?: number;
  /** Seconds after which a refused form may be sent again. */
  retryAfter?: number | undefined;
  title: string;
  /** How what it shows stands: the icon in the tab says it, too. */
  state?: RunState;
  /** For a chat in which somebody pastes the address of a page that needs no sign-in. */
  description?: string;
  body: VNode;
  /**
   * The parts of the page that change by themselves, by the id of their `<Live>`. They hold no form, and nothing that
   * only one person may see: a part is rendered once for all who have the page open.
   */
  live?: Readonly<Record<string, VNode>> | undefined;
};

/** A page as text, for scripts and spreadsheets. */
export type Text = { text: string; type: 'text/markdown' | 'application/json' | 'text/csv' };

/** The same where it takes long to write: that is measured, and charged to the person as rendering is. */
export type Written = { write: () => string; type: Text['type'] };
