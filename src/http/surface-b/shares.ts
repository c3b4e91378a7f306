/** Surface B: links to a run, and badges of a project, for people outside of the team. */
import { mustSee } from '../../domain/teams/access.js';
import { mustBePresent, notFound } from '../../domain/life.js';
import { project } from '../../domain/project.js';
import { run } from '../../domain/runs/run.js';
import { streamNameOf } from '../../domain/teams/team-streams.js';
import type { Badge } from '../../sharing/badges.js';
import { endOfLink, type RunLink } from '../../sharing/run-links.js';
import { ok, withBody, type Call, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { paged, requestedPage } from './pages.js';

export function linkRoutes({ commands, sharing: { links }, audit }: Sources): Route[] {
  /** From the log, so that no read model has to follow. @throws AppError `not_found` for a run that the key does not see */
  async function runOf({ key, params }: Pick<Call, 'key' | 'params'>) {
    const run_id = params['id']!;
    const { team_id } = key;
    const { project_id } = mustBePresent(
      await commands.load(run, streamNameOf('run', team_id, run_id)),
      'run',
    );
    mustSee(key, project_id, 'run');
    return { team_id, project_id, run_id };
  }

  return [
    {
      method: 'POST',
      path: '/test-runs/:id/links',
      operation: {
        id: 'createLink',
        summary: 'Makes a link that shows the run to all who have it',
        answers: { 201: { data: 'NewLink' } },
        errors: ['link_limit'],
      },
      role: 'member',
      secret: true,
      ...withBody('CreateLink', async (call) => {
        const { context, key, body } = call;
        const ofRun = await runOf(call);
        context.touched?.(ofRun.project_id);
        const { link, token } = await links.make({
          id: context.ids.created('link'),
          ...ofRun,
          expires_at: endOfLink(body.expires_at, { at: context.at, keyEnds: key.expires_at }),
          created_at: context.at,
          created_by: context.actor,
        });
        const { id, ...rest } = shownLink(link);
        const details = { run_id: link.run_id, expires_at: link.expires_at };
        const act = { act: 'link_made', subject: { type: 'link', id }, details } as const;
        // A repeat of the request makes the same link.
        await audit.tell([link.team_id], act, context, `${id} made`);
        return {
          status: 201,
          body: { data: { id, url: `${call.origin()}/shared/${token}`, ...rest } },
        };
      }),
    },
    {
      method: 'GET',
      path: '/test-runs/:id/links',
      operation: {
        id: 'listLinks',
        summary: 'Lists the links to a run that have not ended, oldest first',
        answers: { 200: { page: 'Link' } },
      },
      role: 'viewer',
      query: 'PageQuery',
      async handle(call) {
        const page = requestedPage(call);
        const all = await links.of(await runOf(call));
        const part = all.slice(page.offset, page.offset + page.per_page);
        return ok(paged(part.map(shownLink), all.length, page));
      },
    },
    {
      method: 'DELETE',
      path: '/test-runs/:id/links/:link',
      operation: { id: 'revokeLink', summary: 'Revokes a link to a run', answers: { 204: null } },
      role: 'member',
      async handle(call) {
        const ofRun = await runOf(call);
        const id = call.params['link']!;
        if (!(await links.revoke({ ...ofRun, id }))) notFound('link');
        const details = { run_id: ofRun.run_id };
        const act = { act: 'link_revoked', subject: { type: 'link', id }, details } as const;
        await audit.tell([ofRun.team_id], act, call.context);
        return { status: 204 };
      },
    },
  ];
}

export function badgeRoutes({ commands, sharing: { badges }, audit }: Sources): Route[] {
  /** From the log, likewise. @throws AppError `not_found` for a project that the key does not see */
  async function projectOf({ key, params }: Pick<Call, 'key' | 'params'>) {
    const project_id = params['id']!;
    const { team_id } = key;
    mustSee(key, project_id);
    mustBePresent(await commands.load(project, streamNameOf('project', team_id, project_id)), 'project');
    return { team_id, project_id };
  }

  return [
    {
      method: 'POST',
      path: '/projects/:id/badges',
      operation: {
        id: 'createBadge',
        summary: 'Makes a badge of a branch for all who have its URL',
        answers: { 201: { data: 'NewBadge' } },
        errors: ['badge_limit'],
      },
      role: 'member',
      secret: true,
      ...withBody('CreateBadge', async (call) => {
        const { context, body } = call;
        const ofProject = await projectOf(call);
        context.touched?.(ofProject.project_id);
        const id = context.ids.created('badge');
        const { at: created_at, actor: created_by } = context;
        const token = await badges.make({ id, ...ofProject, branch: body.branch, created_at, created_by });
        const details = { project_id: ofProject.project_id, branch: body.branch };
        const act = { act: 'badge_made', subject: { type: 'badge', id }, details } as const;
        await audit.tell([ofProject.team_id], act, context, `${id} made`);
        return { status: 201, body: { data: { id, url: `${call.origin()}/badges/${token}.svg` } } };
      }),
    },
    {
      method: 'GET',
      path: '/projects/:id/badges',
      operation: {
        id: 'listBadges',
        summary: 'Lists the badges of a project, oldest first',
        answers: { 200: { page: 'Badge' } },
      },
      role: 'viewer',
      query: 'PageQuery',
      async handle(call) {
        const page = requestedPage(call);
        const all = await badges.of(await projectOf(call));
        const part = all.slice(page.offset, page.offset + page.per_page);
        return ok(paged(part.map(shownBadge), all.length, page));
      },
    },
    {
      method: 'DELETE',
      path: '/projects/:id/badges/:badge',
      operation: { id: 'removeBadge', summary: 'Removes a badge', answers: { 204: null } },
      role: 'member',
      async handle(call) {
        const ofProject = await projectOf(call);
        const id = call.params['badge']!;
        if (!(await badges.remove({ ...ofProject, id }))) notFound('badge');
        const details = { project_id: ofProject.project_id };
        const act = { act: 'badge_removed', subject: { type: 'badge', id }, details } as const;
        await audit.tell([ofProject.team_id], act, call.context);
        return { status: 204 };
      },
    },
  ];
}

function shownLink({ id, expires_at, created_at, created_by }: RunLink) {
  return { id, expires_at, created_at, created_by };
}

function shownBadge({ id, branch, created_at, created_by }: Badge) {
  return { id, branch, created_at, created_by };
}
