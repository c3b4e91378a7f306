/** The pages on the API of a real server with embedded stores, for people that a test makes up. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { history } from '../../projections/history/history.js';
import { openAdmission } from '../../src/admission/admission.js';
import { instant, systemClock } from '../../src/clock.js';
import { systemContext } from '../../src/commands/command-context.js';
import type { CommandHandler } from '../../src/commands/command-handler.js';
import { OPERATOR_TEAM, teamStream } from '../../src/commands/teams.js';
import { readConfig } from '../../src/config.js';
import { openDashboard } from '../../src/dashboard/dashboard.js';
import type { Files } from '../../src/dashboard/page.js';
import { maskedToken } from '../../src/dashboard/same-origin.js';
import type { ServerFacts } from '../../src/dashboard/server-facts.js';
import { team } from '../../src/domain/teams/team.js';
import { partitionOf } from '../../src/domain/partition.js';
import { createApp } from '../../src/http/app.js';
import { rateLimit } from '../../src/http/backpressure/rate-limit.js';
import { listen } from '../../src/http/server.js';
import { openApi } from '../../src/roles/api.js';
import { openCore } from '../../src/roles/core.js';
import { readOperations } from '../../src/roles/operations.js';
import { openRoleThreads } from '../../src/roles/threads.js';
import { openSharing } from '../../src/sharing/sharing.js';
import { fakePeople, roles, sessionOf, type FakePeople } from './fake-people.js';

export type Shown = { status: number; headers: IncomingHttpHeaders; text: string };

export type Asked = {
  /** The role of the person who asks; left out for nobody. */
  as?: string | undefined;
  /** Sent as a form, with the token of the person. */
  form?: Record<string, string | readonly string[]>;
  /** Replaces and adds headers; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
};

export type PageServer = {
  readonly url: string;
  readonly people: FakePeople;
  /** The lines of the log. */
  readonly lines: readonly string[];
  readonly facts: ServerFacts;
  get(path: string, asked?: Asked): Promise<Shown>;
  head(path: string, asked?: Asked): Promise<Shown>;
  post(path: string, asked?: Asked): Promise<Shown>;
  /** Opens the stream of the live parts of a page. It ends after the tests. */
  follow(path: string, asked?: Asked): Promise<Followed>;
};

/** `text`: what was sent so far. */
export type Followed = { readonly text: string; end(): void };

/** Declares a server for the tests of the block around it. The calls of people are forgotten before each test. */
export function pageServer(
  env: Record<string, string> = {},
  files: Files = { origin: null, untrustedOrigin: null },
): PageServer {
  const people = fakePeople();
  const lines: string[] = [];
  const closing: (() => Promise<unknown> | void)[] = [];
  let url = '';
  let facts: ServerFacts | null = null;

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'testledger-pages-'));
    closing.push(() => rm(folder, { recursive: true }));
    const config = readConfig({ DATA_DIR: folder, PORT: '0', RATE_LIMIT: 'off', ...env });
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const core = await openCore(config, logger, (close) => void closing.push(close));
    await core.recordFirstStart();
    await addMembers(core.commands);
    const threads = openRoleThreads({ ...core, logger });
    closing.push(threads.stop);
    const { surfaces, open } = await openApi(core);
    const { uploads } = surfaces[0]!.services;
    facts = { operations: () => readOperations(core), uploads: uploads.of };
    const dashboard = openDashboard({
      people,
      directory: { membershipsOf: () => [], onTeamEvents: () => undefined },
      server: facts,
      surfaces,
      admission: openAdmission(),
      rateLimit: rateLimit(config.rateLimit),
      publicUrl: null,
      trustedProxies: [],
      files,
      linkUsed: () => undefined,
      sharing: openSharing({ state: core.state, commands: core.commands, clock: systemClock }),
      secretKeys: { current: 'of the tests of pages', previous: null },
      positionOf: (team) => core.historyViews.position(history.name, { partition: partitionOf(team) }),
      report: (error) => void lines.push(String(error)),
    });
    const { pages, missingPage } = dashboard;
    const { koa } = createApp({ surfaces, open, pages, missingPage, metrics: core.metrics, logger });
    const listening = await listen(koa, { host: '127.0.0.1', port: 0 });
    closing.push(() => listening.stop(1_000));
    url = listening.url;
    threads.start('projector');
    threads.start('webhooks');
  });
  beforeEach(() => people.reset());
  after(async () => {
    for (const close of closing.toReversed()) await close();
  });

  return {
    get url() {
      return url;
    },
    people,
    lines,
    get facts() {
      return facts!;
    },
    get: (path, asked = {}) => ask(url + path, 'GET', asked),
    head: (path, asked = {}) => ask(url + path, 'HEAD', asked),
    post: (path, asked = {}) => ask(url + path, 'POST', asked),
    follow: async (path, { as } = {}) => {
      const followed = await follow(url + path, `testledger=${sessionOf(as!)}`);
      closing.push(followed.end);
      return followed;
    },
  };
}

function follow(url: string, cookie: string): Promise<Followed> {
  return new Promise((resolve, reject) => {
    send(url, { headers: { accept: 'text/event-stream', cookie } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more: string) => (text += more));
      // The server may end it, or the test.
      answer.on('error', () => undefined);
      resolve({
        get text() {
          return text;
        },
        end: () => answer.destroy(),
      });
    })
      .on('error', reject)
      .end();
  });
}

/** The persons of the test are members for the API too: keys follow their persons. */
async function addMembers(commands: CommandHandler): Promise<void> {
  const context = systemContext(OPERATOR_TEAM, instant(systemClock), 'members');
  for (const role of roles.toReversed()) {
    await commands.execute(team, teamStream(OPERATOR_TEAM), context, {
      type: 'AddMember',
      person_id: `person_${role}`,
      role,
      sealed: 'sealed',
      by: role === 'owner' ? null : 'person_owner',
    });
  }
}

/** As a browser asks: `fetch` of Node would not send some of these headers. */
function ask(
  url: string,
  method: 'GET' | 'HEAD' | 'POST',
  { as, form, headers = {} }: Asked,
): Promise<Shown> {
  const fields = new URLSearchParams();
  const all = { ...(as !== undefined && { csrf: maskedToken(`token-of-the-${as}`) }), ...form };
  for (const [name, value] of Object.entries(all)) {
    for (const each of [value].flat()) fields.append(name, each);
  }
  const sent: Record<string, string | undefined> = {
    accept: 'text/html',
    ...(as !== undefined && { cookie: `testledger=${sessionOf(as)}` }),
    ...(method === 'POST' && {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      origin: new URL(url).origin,
    }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const known = Object.entries(sent).filter(([, value]) => value !== undefined);
    const request = send(url, { method, headers: Object.fromEntries(known) }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode!,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.on('error', reject);
    request.end(method === 'POST' ? fields.toString() : undefined);
  });
}

/** The paths that the forms of a page post to. */
export function actionsOf({ text }: Shown): string[] {
  const forms = text.match(/<form [^>]*>/g) ?? [];
  return forms
    .filter((form) => form.includes('method="post"'))
    .map((form) => unescaped(/action="([^"]*)"/.exec(form)![1]!));
}

/** The text of an element that was found in HTML. */
export function unescaped(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
