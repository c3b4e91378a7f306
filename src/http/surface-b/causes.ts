/** Surface B: a group of failures as something that people work on. */
import { changeCause } from '../../commands/causes/change-cause.js';
import { endKnownThrough, setKnownThrough } from '../../commands/causes/known-through.js';
import { fail } from '../../errors.js';
import { limits } from '../../limits.js';
import { markedTestsPoints } from '../backpressure/request-cost.js';
import { ok, withBody, type Call, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { groupData, partsOf, requestedProject, type Parts } from './failures.js';
import { knownFailureIn } from './known-failures.js';
import { paged, partOf, requestedPage } from './pages.js';

const PATH = '/projects/:id/failures/:group';
const KNOWN = `${PATH}/known-failure`;

export function causeRoutes(sources: Sources): Route[] {
  const parts = partsOf(sources);
  return [
    changing(sources, parts),
    ...knowing(sources, parts),
    {
      method: 'GET',
      path: `${PATH}/history`,
      operation: {
        id: 'listFailureGroupHistory',
        summary: 'Lists what happened to a group of failures, newest first',
        answers: { 200: { page: 'CauseEntry' } },
      },
      role: 'viewer',
      reporter: true,
      query: 'PageQuery',
      async handle(call) {
        const { id, group } = await requestedGroup(parts, call);
        const nameOf = await parts.actors(call.key.team_id);
        const { items, total } = await parts.causes.entries(id, group, { ...partOf(call), nameOf });
        return ok(paged(items, total, requestedPage(call)));
      },
    },
    {
      method: 'GET',
      path: `${PATH}/tests`,
      operation: {
        id: 'listFailureGroupTests',
        summary: 'Lists the tests of a group of failures, those of most results first',
        answers: { 200: { page: 'TestOfFailureGroup' } },
      },
      role: 'viewer',
      reporter: true,
      query: 'PageQuery',
      async handle(call) {
        const { id, group } = await requestedGroup(parts, call);
        const { items, total } = await parts.causes.tests(id, group, partOf(call));
        return ok(paged(items, total, requestedPage(call)));
      },
    },
  ];
}

function changing({ commands, freshness }: Sources, parts: Parts): Route {
  const { causes } = parts;
  return {
    method: 'PATCH',
    path: PATH,
    operation: {
      id: 'changeFailureGroup',
      summary: 'Changes the owner, note, ticket or state of a group of failures',
      answers: { 200: { data: 'ProjectFailureGroupWithOutcomes' } },
      errors: ['project_inactive', 'event_limit', 'write_conflict'],
    },
    role: 'member',
    ...withBody('ChangeFailureGroup', async (call) => {
      const { context, body: wanted } = call;
      const { id: project_id, group } = await requestedGroup(parts, call);
      const standing = (await causes.standing(project_id, group)) ?? 'open';
      await changeCause(commands, context, { group, project_id, wanted, standing });
      // Somebody who says that it is fixed wants to hear of it when it fails again.
      if (wanted.state === 'fixed') {
        const tests = await causes.knownTests(group);
        call.rate.charge(markedTestsPoints(tests.length));
        await endKnownThrough(commands, context, { tests, project_id, group });
      }
      return shown(parts, call, freshness);
    }),
  };
}

function knowing({ commands, freshness }: Sources, parts: Parts): Route[] {
  const { causes } = parts;
  return [
    {
      method: 'PUT',
      path: KNOWN,
      operation: {
        id: 'setKnownFailureGroup',
        summary: 'Marks all tests of a group of failures as known',
        answers: { 200: { data: 'ProjectFailureGroupWithOutcomes' } },
        errors: ['project_inactive', 'event_limit', 'test_limit', 'write_conflict'],
      },
      role: 'member',
      ...withBody('SetKnownFailure', async (call) => {
        const said = knownFailureIn(call);
        const { id: project_id, group } = await requestedGroup(parts, call);
        const all = { offset: 0, limit: limits.testsOfCause };
        const { items: tests, total } = await causes.tests(project_id, group, all);
        if (total > limits.testsOfCause) {
          fail('test_limit', `The group has ${total} tests. One call marks up to ${limits.testsOfCause}.`);
        }
        call.rate.charge(markedTestsPoints(tests.length));
        await setKnownThrough(commands, call.context, tests, { project_id, group, ...said });
        return shown(parts, call, freshness);
      }),
    },
    {
      method: 'DELETE',
      path: KNOWN,
      operation: {
        id: 'endKnownFailureGroup',
        summary: 'Ends the known failures that were set for all tests of a group of failures',
        answers: { 204: null },
        errors: ['project_inactive', 'write_conflict'],
      },
      role: 'member',
      async handle(call) {
        const { id: project_id, group } = await requestedGroup(parts, call);
        const tests = await causes.knownTests(group);
        if (tests.length === 0) fail('not_found', 'No test is known through this group of failures.');
        call.rate.charge(markedTestsPoints(tests.length));
        await endKnownThrough(commands, call.context, { tests, project_id, group });
        return { status: 204 };
      },
    },
  ];
}

type Asked = Pick<Call, 'key' | 'params' | 'waitFor'>;

/** @throws AppError `not_found` */
async function requestedGroup({ views, failures }: Parts, call: Asked) {
  const { id, current } = await requestedProject(views, call);
  const { group } = call.params as { group: string };
  await failures.mustExist(id, group);
  return { id, group, current };
}

/** After a change, which the views show before the answer. */
async function shown(parts: Parts, call: Asked, freshness: Sources['freshness']) {
  const { id, current } = await requestedProject(parts.views, call);
  // The call waited for what was written before it.
  await freshness.history(call.key.team_id);
  return ok({ data: await groupData(parts, call, { id, group: call.params['group']!, current }) });
}
