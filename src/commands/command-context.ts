/** Who sends a command, and what of the team exists for the sender. */
import { maySee } from '../domain/teams/access.js';
import type { StoredClient } from '../domain/audit/told-events.js';
import type { Instant } from '../domain/event.js';
import { none, type None } from '../domain/life.js';
import { newIds, type CommandIds } from './ids.js';

/** The sender of a command, and the ids and the instant that it uses. */
export type CommandContext = {
  team: string;
  /** The only projects that exist for the sender; null for all of the team. */
  project_ids: readonly string[] | null;
  /** Gets each project of which the command reads or writes something. */
  touched?: (project: string) => void;
  actor: string;
  at: Instant;
  correlationId: string;
  /** Where the sender acts from. Asked only for events that the audit tells. */
  client?: () => Promise<StoredClient | null>;
  ids: CommandIds;
  /** An earlier try of the same request may have written already. Its events are looked for first. */
  resumed: boolean;
  /**
   * Present for a request with an Idempotency-Key: whether another try has taken the request over from this one. Asked
   * after each read, because a try that was held up for seconds must not write again what the other try has written.
   */
  takenOver?: () => Promise<boolean>;
};

/** For commands of the program itself. No request asks for them, so each try uses new ids. */
export function systemContext(team: string, at: Instant, correlationId: string): CommandContext {
  return { team, project_ids: null, actor: 'system', at, correlationId, ids: newIds, resumed: false };
}

/** The state of a thing, as the sender of a request sees it: a thing of a project beyond its own is not recorded. */
export function seenBy<S extends object>(context: CommandContext, state: S): S | None {
  return isSeenBy(context, state) ? state : none;
}

/** True for what belongs to no project: the deciders and routes of keys and webhooks look at the sender themselves. */
export function isSeenBy(context: CommandContext, thing: unknown): boolean {
  const { project_id } = thing as { project_id?: unknown };
  if (typeof project_id !== 'string') return true;
  const seen = maySee(context, project_id);
  if (seen) context.touched?.(project_id);
  return seen;
}
