/**
 * Answers of routes as they were at a moment: the same handlers, with the read models of that moment. Who may see is decided
 * now, and contents are those that are kept now.
 */
import { history } from '../../../projections/history/history.js';
import { testDocuments } from '../../../projections/history/tests.js';
import { LRUCache } from 'lru-cache';
import { keyOfPast, type Past } from '../../as-of/past.js';
import { endOfSubmission, positionAt } from '../../as-of/moment.js';
import { logPosition, isPosition, START, type Position } from '../../domain/event.js';
import { normaliseInstant } from '../../domain/instant.js';
import { fail, invalid, isAppError } from '../../errors.js';
import { withoutPurged } from '../../log/purged-views.js';
import type { ViewReader } from '../../ports/views.js';
import { checkPosition } from '../../replay/positions.js';
import type { Call, Reply, Route } from '../route.js';
import { sourcesAt, type Sources } from '../sources.js';
import type { SubjectKind } from './subject-kind.js';
import { subjectOf } from './subject.js';

/** The routes of the nouns, made of other sources. */
export type RoutesOf = (sources: Sources) => readonly Route[];

/** Each holds no documents, but what its queries keep. */
const PASTS_KEPT = 8;
const AS_OF = 'X-As-Of';

/** Wraps the routes that say of what they are (`Route.asOf`). `routesOf`: makes all of them. */
export function answeringPast(sources: Sources, routesOf: RoutesOf): (route: Route) => Route {
  const made = new LRUCache<string, readonly Route[]>({ max: PASTS_KEPT });

  function routeOf(past: Past, { method, path }: Route): Route {
    const key = keyOfPast(past);
    let routes = made.get(key);
    if (routes === undefined)
      made.set(key, (routes = routesOf(sourcesAt(sources, key, pastViews(sources, past)))));
    return routes.find((each) => each.method === method && each.path === path)!;
  }

  return (route) => {
    const { asOf: kind, path } = route;
    if (kind === undefined) return route;
    return {
      ...route,
      async handle(call) {
        const sent = call.query['as_of'];
        const { team_id: team } = call.key;
        if (sent === undefined)
          return path === TELLS_POSITION ? withPosition(sources, call, route) : route.handle(call);
        const at = await requestedPosition(sources, call, String(sent));
        const { project, since } = await subjectOf(sources, call, kind);
        if (since > at) notYet();
        const reply =
          (await unchangedSince(sources, call, at, route)) ??
          (await answerAt(sources, call, { team, project, at, also: null }, { route, kind, routeOf }));
        return { ...reply, headers: { ...reply.headers, [AS_OF]: at } };
      },
    };
  };
}

/** The run itself says up to which position its answer has everything, so that the same can be asked for later. */
const TELLS_POSITION = '/test-runs/:id';

async function withPosition({ log }: Sources, call: Call, route: Route): Promise<Reply> {
  const at = await log.head(call.key.team_id);
  const reply = await route.handle(call);
  return { ...reply, headers: { ...reply.headers, [AS_OF]: at } };
}

/** What is newest is there already. Null where something was written meanwhile, or since, or where read models are behind. */
async function unchangedSince(
  sources: Sources,
  call: Call,
  at: Position,
  route: Route,
): Promise<Reply | null> {
  if (!(await isNewest(sources, call, at))) return null;
  const isBehind = new Error('the read models are behind');
  try {
    const reply = await route.handle({
      ...call,
      // An answer that lacks something would be kept as that of the position, in a receipt for example.
      async waitFor(...models) {
        if (!(await call.waitFor(...models))) throw isBehind;
        return true;
      },
    });
    return (await isNewest(sources, call, at)) ? reply : null;
  } catch (error) {
    if (error === isBehind) return null;
    throw error;
  }
}

async function isNewest({ log }: Sources, { key }: Call, at: Position): Promise<boolean> {
  return (await log.head(key.team_id)) <= at;
}

type Answering = { route: Route; kind: SubjectKind; routeOf: (past: Past, route: Route) => Route };

async function answerAt(
  sources: Sources,
  call: Call,
  past: Past,
  { route, kind, routeOf }: Answering,
): Promise<Reply> {
  try {
    const reply = await routeOf(await pastFor(sources, call, past, kind), route).handle({
      ...call,
      // The past is whole. What remains is the room for the answer.
      waitFor: async () => {
        await call.waitFor();
        return true;
      },
    });
    return { ...reply, isWhole: true };
  } catch (error) {
    if (kind === 'test' && isAppError(error, 'not_found')) await failIfLater(sources, call);
    if (isAppError(error, 'as_of_too_large') && (await isNewest(sources, call, past.at)))
      fail('views_behind', 'The read models are behind the newest position; try again.', { retryAfter: 1 });
    throw error;
  }
}

const searches = ['q', 'owner', 'tag', 'not_tag', 'sort'];

/** The past with the tests that the question is about. Most have no history in it, because nothing ever troubled them. */
async function pastFor(
  sources: Sources,
  { query, params }: Call,
  past: Past,
  kind: SubjectKind,
): Promise<Past> {
  // These look among all tests.
  if (searches.some((name) => query[name] !== undefined)) return opened(sources, { ...past, also: 'all' });
  await opened(sources, past);
  const test = params['test'];
  if (kind !== 'test' || test === undefined) return past;
  const from = { past, model: history.name, collection: testDocuments.name };
  const [known] = await sources.pasts.get(from, [test]);
  return known === null ? opened(sources, { ...past, also: test }) : past;
}

async function opened({ pasts, admission }: Sources, past: Past): Promise<Past> {
  if (!(await pasts.has(past))) await admission.run('pasts', { team: past.team }, () => pasts.open(past));
  return past;
}

/** A test has no stream of its own that says since when it is there. @throws AppError `not_yet` */
async function failIfLater({ tests }: Sources, { key, params }: Call): Promise<void> {
  const { test } = params as { test: string };
  let project: string | null = null;
  try {
    project = await tests.projectOf(key, test);
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
  }
  if (project !== null) notYet();
}

function notYet(): never {
  fail('not_yet', 'It was not there yet at that moment.');
}

/** @throws AppError `validation_failed`, and `not_yet` where nothing was there */
async function requestedPosition(
  { storedLog: log }: Sources,
  { key: { team_id: team }, context: { at: now } }: Call,
  sent: string,
): Promise<Position> {
  if (isPosition(sent)) {
    try {
      return await endOfSubmission(log, logPosition(await checkPosition(log, team, sent)));
    } catch (error) {
      if (!isAppError(error, 'not_a_position')) throw error;
      return invalid('?as_of', 'not_a_position', 'is not a position of an event');
    }
  }
  const wanted =
    normaliseInstant(sent) ?? invalid('?as_of', 'not_an_instant', 'must be an instant or a position');
  if (wanted > now) invalid('?as_of', 'too_late', 'lies ahead of now');
  const found = await positionAt(log, team, wanted);
  return found === START ? notYet() : found;
}

/** Both read models as they were, without what is being purged. */
function pastViews({ pasts, masks }: Sources, past: Past): ViewReader {
  const reader: ViewReader = {
    get: ({ name: model }, collection, ids) => pasts.get({ past, model, collection }, ids),
    find: ({ name: model }, collection, query) => pasts.find({ past, model, collection }, query),
    position: async () => past.at,
    checkpoints: async () => [],
    lastEvent: async () => null,
    close: async () => {},
  };
  return withoutPurged(reader, masks);
}
