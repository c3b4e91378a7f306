/** What redactions need. */
import type { CommandContext } from '../commands/command-context.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { Masks } from '../log/masks.js';
import type { Contents } from '../ports/contents.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { ViewReader } from '../ports/views.js';
import type { ReadModel } from '../projecting/freshness.js';
import type { TeamViews } from '../queries/team-views.js';

export type Redacting = {
  commands: CommandHandler;
  log: Pick<EventLog, 'head' | 'readStream'>;
  contents: Pick<Contents, 'mark' | 'marked' | 'question' | 'release'>;
  state: Pick<State, 'get' | 'put'>;
  masks: Masks;
  views: TeamViews;
  historyViews: ViewReader;
};

/** A request. `waitFor`: until the read models show all that was written before; false where they do not in time. */
export type Asking = {
  context: CommandContext;
  waitFor(...models: ReadModel[]): Promise<boolean>;
};

export type Redacted = { id: string; redacted_at: string };
