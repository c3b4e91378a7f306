/** Handles the request for a page: session, team, role, form, and the answer in HTML, also where it is an error. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Admission } from '../admission/admission.js';
import { atLeast } from '../domain/teams/team.js';
import { fail } from '../errors.js';
import { clientAddress } from '../http/client-address.js';
import { dropBody } from '../http/bodies/drop-body.js';
import { compress } from '../http/protocol/compression.js';
import { publicOrigin } from '../http/origin.js';
import type { RateLimit } from '../http/backpressure/rate-limit.js';
import { clientOf } from '../people/client.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { Membership, People, SignedIn } from '../people/people.js';
import { answerPage, errorPage, mustBeOwnHost, renderInTurn, urlOf, type Answered } from './answer-page.js';
import type { Assets } from './assets.js';
import type { LiveViews } from './live/live-views.js';
import { onceOf, type OnceCookies } from './once.js';
import { confirmFor, signInAfterForm, signInFor } from './sign-in-for.js';
import { readForm } from './read-form.js';
import type { Files, OpenPage, OpenPageRequest, Page, PageRequest } from './page.js';
import type { PageApi, Caller } from './page-api.js';
import { maskedToken, mustBeOwnForm, mustHaveToken } from './same-origin.js';
import type { ServerFacts } from './server-facts.js';
import type { TokenCookie } from './session-cookie.js';

export type PageServices = OnceCookies & {
  people: People;
  directory: Pick<ApiKeys, 'membershipsOf'>;
  server: ServerFacts;
  api: (caller: Caller) => PageApi;
  assets: Assets;
  live: LiveViews;
  cookie: TokenCookie;
  externalCookie: TokenCookie;
  rateLimit: RateLimit;
  admission: Admission;
  /** The position of a team's read models. */
  positionOf(team: string): Promise<string>;
  publicUrl: string | null;
  /** The CIDRs of proxies whose word on the address of a client counts. */
  trustedProxies: readonly string[];
  files: Files;
  /** As a page of this request leads to them. */
  filesFor(request: IncomingMessage): Files;
  /** Gets a fault of the server. */
  report: (error: unknown) => void;
};

/** A page of a team. A person who has not signed in is led to the sign-in and back. */
export async function handlePage(ctx: Context, page: Page, services: PageServices): Promise<void> {
  await answering(ctx, services, async (request) => {
    const { person } = request;
    const isStream =
      page.method === 'GET' && ctx.accepts('text/html', 'text/event-stream') === 'text/event-stream';
    if (person === null) return isStream ? refuseStream(ctx) : toSignIn(ctx, request);
    const team = person.memberships.find(({ team_id }) => team_id === request.params['team']);
    // The same answer for a team that does not exist and for another one: a person learns nothing of other teams.
    if (team === undefined) fail('not_found', 'There is no such page.');
    if (!atLeast(team.role, page.role)) {
      fail('forbidden', `This page needs the role ${page.role}; you have the role ${team.role}.`);
    }
    services.rateLimit.request(person.person_id, ctx.res);
    if (await mustAskAgain(page, request)) return toConfirm(ctx, request);
    const { server } = services;
    const position = (): Promise<string> => services.positionOf(team.team_id);
    const moment = page.asOf === true ? request.url.searchParams.get('as_of') : null;
    const full: PageRequest = {
      ...request,
      person,
      // Nobody changes the past.
      team: moment === null ? team : { ...team, role: 'viewer' },
      server,
      files: services.filesFor(ctx.req),
      api: request.apiIn(team, moment),
      present: request.apiIn(team),
      moment,
      once: onceOf(ctx, person, services),
      report: services.report,
      position,
    };
    if (isStream) {
      return services.live.follow(ctx, {
        page,
        request: full,
        isAllowed: () => stillIn(ctx, services, team),
        isMember: () => hasRole(services.directory.membershipsOf(person.person_id), team),
      });
    }
    const holder = { team: team.team_id, key: person.person_id };
    return renderInTurn(ctx, { ...services, person, team }, holder, async () => {
      const reply = await page.handle(full);
      return moment === null
        ? { reply, lag: full.api.lag() }
        : { reply: 'body' in reply ? { ...reply, live: undefined } : reply, moment };
    });
  });
}

/** A page without a team. */
export async function handleOpenPage(ctx: Context, page: OpenPage, services: PageServices): Promise<void> {
  await answering(ctx, services, async (request) => {
    const { person } = request;
    // Some of them look through the teams of the person. To leave must always be possible.
    if (person !== null && page.path !== '/sign-out') services.rateLimit.request(person.person_id, ctx.res);
    if (await mustAskAgain(page, request)) return toConfirm(ctx, request);
    return { reply: await page.handle(request) };
  });
}

async function mustAskAgain(page: Page | OpenPage, request: OpenPageRequest): Promise<boolean> {
  return request.person?.isProven === false && ((await page.asksAgain?.(request)) ?? false);
}

function toConfirm(ctx: Context, { origin }: OpenPageRequest): Answered {
  return { reply: { redirect: confirmFor(ctx.get('Referer'), origin) } };
}

/** `work` returns nothing where it has answered by itself. */
async function answering(
  ctx: Context,
  services: PageServices,
  work: (request: OpenPageRequest) => Promise<Answered | undefined>,
): Promise<void> {
  const session = services.cookie.read(ctx);
  const origin = publicOrigin(services.publicUrl, ctx.req);
  const address = clientAddress(ctx.req, services.trustedProxies);
  const client = clientOf(address, ctx.get('User-Agent'));
  const correlationId = ctx.state['requestId'] as string;
  let person: SignedIn | null = null;
  let answered: Answered | undefined;
  try {
    mustBeOwnHost(ctx, services.files);
    person = session === null ? null : await services.people.session(session);
    if (person !== null) ctx.state['person'] = person.person_id;
    let form = new URLSearchParams();
    if (ctx.method === 'POST') {
      // Before a byte is read: the form of another site is not worth it.
      mustBeOwnForm(ctx.req, origin);
      form = await readForm(ctx, services.admission, { person: person?.person_id ?? null, address });
      if (person !== null) mustHaveToken(form, person.csrf);
    }
    if (person !== null) person = { ...person, csrf: maskedToken(person.csrf) };
    answered = await work({
      person,
      session,
      params: ctx['params'] as Record<string, string>,
      url: urlOf(ctx),
      form,
      address,
      client,
      origin,
      people: services.people,
      correlationId,
      apiIn: (team, moment = null) =>
        services.api({ ...callerOf(person, team, { correlationId, client, origin, ctx, services }), moment }),
      setSession: (token) => services.cookie.write(ctx, token),
      external: {
        token: services.externalCookie.read(ctx),
        set: (token) => services.externalCookie.write(ctx, token),
      },
    });
    if (answered === undefined) return;
  } catch (error) {
    // A person in their own team keeps its navigation.
    const team = person?.memberships.find(({ team_id }) => team_id === ctx['params']['team']);
    answered = { reply: errorPage(error, services.report), ...(team && { team }) };
  }
  answerPage(ctx, answered, { assets: services.assets, files: services.files, person });
  await compress(ctx);
  if (ctx.method === 'POST' && !ctx.req.complete) dropBody(ctx);
}

function toSignIn(ctx: Context, { url, origin }: OpenPageRequest): Answered {
  const isForm = ctx.method === 'POST';
  return { reply: { redirect: isForm ? signInAfterForm(ctx.get('Referer'), origin) : signInFor(url) } };
}

/** A stream cannot follow to a form: a page that gets this says that nobody is signed in. */
function refuseStream(ctx: Context): undefined {
  ctx.status = 401;
  ctx.body = '';
  return undefined;
}

async function stillIn(ctx: Context, { people, cookie }: PageServices, team: Membership): Promise<boolean> {
  const token = cookie.read(ctx);
  const person = token === null ? null : await people.session(token);
  return person !== null && hasRole(person.memberships, team);
}

function hasRole(memberships: readonly Membership[], { team_id, role }: Membership): boolean {
  return memberships.some((each) => each.team_id === team_id && each.role === role);
}

/** @throws AppError `unauthorized` where no person has signed in */
function callerOf(
  person: SignedIn | null,
  { team_id, team_name, role }: Membership,
  {
    correlationId,
    client,
    origin,
    ctx: { res },
    services: { rateLimit },
  }: Pick<OpenPageRequest, 'correlationId' | 'client' | 'origin'> & { ctx: Context; services: PageServices },
): Caller {
  const { person_id, name } = person ?? fail('unauthorized', 'Nobody has signed in.');
  return {
    key: {
      key_id: person_id,
      name,
      role,
      team_id,
      team_name,
      person_id,
      person_role: null,
      project_ids: null,
      expires_at: null,
    },
    correlationId,
    client,
    origin,
    // The live parts of a page are rendered for all its readers, at a bounded share of the time.
    rate: {
      charge(points) {
        if (!res.headersSent) rateLimit.charge(person_id, points, res);
      },
      check() {
        if (!res.headersSent) rateLimit.check(person_id, res);
      },
    },
  };
}
