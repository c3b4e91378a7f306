/** What somebody says of a cause. */
import { cause, causeStream, type ChangeCause } from '../../domain/causes/cause.js';
import { invalid } from '../../errors.js';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import { checkProjectTakesWrites } from '../projects.js';

/** @throws AppError `validation_failed`, `project_inactive`, `event_limit`, `write_conflict` */
export async function changeCause(
  commands: CommandHandler,
  context: CommandContext,
  change: Omit<ChangeCause, 'type'>,
): Promise<void> {
  const { ticket } = change.wanted;
  if (ticket != null) checkTicket(ticket);
  const stream = causeStream(context.team, change.group);
  const check = () => checkProjectTakesWrites(commands, context, change.project_id);
  await commands.execute(cause, stream, context, { type: 'ChangeCause', ...change }, { check });
}

/** It is a link on pages: another scheme could be a script. */
function checkTicket(ticket: string): void {
  const { protocol } = URL.canParse(ticket) ? new URL(ticket) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') {
    invalid('/ticket', 'not_valid', 'must be an address of http or https');
  }
}
