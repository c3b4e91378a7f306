/** Serves badges. A page that is read often asks for them often, so a picture is kept for some seconds. */
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../../admission/admission.js';
import { branchStateOf, buildsOf, expectedSince, type BranchRun } from '../../domain/runs/branch-state.js';
import type { PageRoute } from '../../http/app.js';
import { tag } from '../../http/protocol/entity-tag.js';
import { setHeaders } from '../../http/protocol/headers.js';
import type { Badge, Badges } from '../../sharing/badges.js';
import type { PageApi } from '../page-api.js';
import { badgeSvg } from './badge.js';
import { failBehind, type Guesses } from './guesses.js';

type Parts = {
  badges: Badges;
  guesses: Guesses;
  admission: Admission;
  /** The API for whoever sees this project alone. */
  apiOf(badge: Badge, ctx: Context): PageApi;
};

const KEPT_MS = 10_000;
const MOST_KEPT = 1_000;
const HEADERS = {
  'Content-Type': 'image/svg+xml; charset=utf-8',
  // Short: it says how the branch stands now, and a badge that was removed must not stay.
  'Cache-Control': 'public, max-age=60',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Referrer-Policy': 'no-referrer',
};

export function badgeRoute({ badges, guesses, admission, apiOf }: Parts): PageRoute {
  const kept = new LRUCache<string, Promise<string>>({ max: MOST_KEPT, ttl: KEPT_MS });

  function pictureOf(badge: Badge, ctx: Context): Promise<string> {
    const known = kept.get(badge.id);
    if (known !== undefined) return known;
    const holder = { team: badge.team_id, key: badge.id };
    const made = admission.run('pages', holder, async () => {
      const api = apiOf(badge, ctx);
      const svg = await picture(api, badge).catch((error: unknown) => guesses.refuse(error, api.lag()));
      // The newest build may not be in them: what the branch was before must not look like what it is.
      return api.lag() > 0 ? failBehind() : svg;
    });
    kept.set(badge.id, made);
    made.catch(() => kept.delete(badge.id));
    return made;
  }

  return {
    method: 'GET',
    path: '/badges/:file',
    async handle(ctx) {
      const [, token = ''] = /^(.*)\.svg$/su.exec((ctx['params'] as { file: string }).file) ?? [];
      guesses.mayRead(ctx.req);
      const badge = await guesses.right(ctx.req, () => badges.find(token));
      ctx.body = await pictureOf(badge, ctx);
      ctx.status = 200;
      setHeaders(ctx, HEADERS);
      tag(ctx);
    },
  };
}

async function picture(api: PageApi, { project_id, branch }: Badge): Promise<string> {
  const { data: project } = await api.get('/v1/projects/{id}', { params: { id: project_id } });
  const { runs, isAll } = await newestRuns(api, project_id, branch);
  return badgeSvg(project.name, branch, branchStateOf(runs, isAll));
}

const PER_PAGE = 50;
const PAGES = 6;

/** All of the newest build, and of those whose legs it should have, as far as they are among the newest runs. */
async function newestRuns(
  api: PageApi,
  project_id: string,
  branch: string,
): Promise<{ runs: BranchRun[]; isAll: boolean }> {
  const runs: BranchRun[] = [];
  for (let page = 1; page <= PAGES; page += 1) {
    const query = { project_id, branch, page, per_page: PER_PAGE };
    const { data, pagination } = await api.get('/v1/test-runs', { query });
    runs.push(...data);
    if (page >= pagination.total_pages) return { runs, isAll: true };
    const [newest, before] = buildsOf(runs);
    const oldest = runs.at(-1)!;
    if (before !== undefined && !newest!.includes(oldest) && oldest.created_at < expectedSince(newest!))
      break;
  }
  return { runs, isAll: false };
}
