/** The audit of a team: entries with the names of now, newest first. */
import { auditDocuments, type AuditDocument } from '../../projections/records/audit.js';
import { projectDocuments } from '../../projections/records/projects.js';
import { webhookDocuments } from '../../projections/records/webhooks.js';
import type { components } from '../client/api.generated.js';
import { wholeTeam } from '../domain/teams/access.js';
import { sentenceOf, type Details } from '../domain/audit/acts.js';
import { actorInSentence, auditActor } from '../domain/audit/actor.js';
import type { StoredClient, Subject } from '../domain/audit/told-events.js';
import type { Instant } from '../domain/event.js';
import { FORGOTTEN, quoted } from '../domain/history/words.js';
import type { ActorNames, NameOfActor } from './actor-names.js';
import { findPage, type CountedPage } from './find-page.js';
import type { TeamViews } from './team-views.js';

type ShownEntry = components['schemas']['AuditEntry'];

export type AuditFilter = { actor?: string; type?: string; since?: Instant };

export type AuditQuery = AuditFilter & { offset: number; limit: number };

type Parts = {
  views: TeamViews;
  actors: ActorNames;
  clientIn(stored: StoredClient | null): Promise<ShownEntry['client']>;
};

export type AuditEntries = (team: string, query: AuditQuery) => Promise<CountedPage<ShownEntry>>;

const NEWEST_FIRST = { field: 'place', direction: 'descending' } as const;

export function openAuditEntries({ views, actors, clientIn }: Parts): AuditEntries {
  /** How many entries are not older than an instant. Their places begin with it, and no index counts a range. */
  async function countSince(where: Where, since: Instant): Promise<number> {
    const isSince = async (offset: number) => {
      const query = { where, sort: NEWEST_FIRST, offset, limit: 1 };
      const [entry] = (await views.find(auditDocuments, query)).items;
      return entry !== undefined && entry.place >= since;
    };
    let [from, to] = [0, 0];
    // Doubled steps, because most look at the newest entries only.
    while (await isSince(to)) [from, to] = [to + 1, 2 * to + 1];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if (await isSince(middle)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  return async (team_id, { actor, type, since, offset, limit }) => {
    const where: Where = {
      team_id,
      ...(actor !== undefined && { actor }),
      ...(type !== undefined && { type }),
    };
    const all = since === undefined ? null : await countSince(where, since);
    const most = all === null ? limit : Math.max(0, Math.min(limit, all - offset));
    if (most === 0) return { items: [], total: all ?? 0 };
    const { items, total } = await findPage(
      async (query) => {
        const found = await views.find(auditDocuments, { ...query, total: true });
        return { items: found.items, total: found.total ?? 0 };
      },
      { where, sort: NEWEST_FIRST, offset, limit: most },
    );
    const names = await namesOf(team_id, items);
    return { items: await Promise.all(items.map((entry) => shown(entry, names))), total: all ?? total };
  };

  async function namesOf(team: string, entries: readonly AuditDocument[]): Promise<Names> {
    const ids = (wanted: string) => [
      ...new Set(
        entries.flatMap(({ subject: { type, id }, details }) =>
          type === wanted ? id : wanted === 'project' ? String(details['project_id'] ?? []) : [],
        ),
      ),
    ];
    const reader = wholeTeam(team);
    const [nameOfActor, projects, webhooks] = await Promise.all([
      actors(team),
      views.some(projectDocuments, reader, ids('project')),
      views.some(webhookDocuments, reader, ids('webhook')),
    ]);
    return {
      ofActor: once(nameOfActor),
      project: new Map(projects.map(({ project_id, name }) => [project_id, name])),
      webhook: new Map(webhooks.map(({ webhook_id, origin }) => [webhook_id, new URL(origin).host])),
    };
  }

  async function shown(entry: AuditDocument, names: Names): Promise<ShownEntry> {
    const { type, at, actor, subject, details } = entry;
    const [actorName, name, client] = await Promise.all([
      names.ofActor(actor),
      nameOfSubject(subject, details, names),
      clientIn(entry.client),
    ]);
    const told = {
      actor: actorInSentence(actor, actorName),
      subject: inSentence(subject, name),
      isOwn: actor === subject.id,
      details,
    };
    return {
      id: entry.entry_id,
      type,
      at,
      actor: auditActor(actor, actorName),
      client,
      subject: { ...subject, name },
      text: sentenceOf(type, told),
    };
  }
}

type Where = Readonly<Record<string, string>>;

type Names = {
  ofActor: NameOfActor;
  project: ReadonlyMap<string, string>;
  webhook: ReadonlyMap<string, string | null>;
};

/** Many entries of a page are of one actor, whose name is in State. */
function once(nameOf: NameOfActor): NameOfActor {
  const known = new Map<string, Promise<string | null>>();
  return (actor) => {
    const name = known.get(actor) ?? nameOf(actor);
    known.set(actor, name);
    return name;
  };
}

async function nameOfSubject(
  { type, id }: Subject,
  { issuer = null }: Details,
  names: Names,
): Promise<string | null> {
  switch (type) {
    case 'person':
    case 'key':
      return names.ofActor(id);
    case 'project':
      return names.project.get(id) ?? null;
    case 'webhook':
      return names.webhook.get(id) ?? null;
    case 'trust':
      return issuer === null ? null : String(issuer);
    default:
      return null;
  }
}

const unnamed: ReadonlySet<string> = new Set(['link', 'badge', 'run', 'result', 'text']);

/** The subject as it stands in a sentence. */
function inSentence({ type }: Subject, name: string | null): string {
  if (type === 'person') return name === null || name === FORGOTTEN ? 'a forgotten person' : name;
  if (unnamed.has(type)) return `a ${type}`;
  if (name === null) return `a ${type} that is gone`;
  if (type === 'webhook') return `the webhook at ${name}`;
  if (type === 'trust') return `a trust in ${name}`;
  return `the ${type} ${quoted(name)}`;
}
