/** `testledger events`: the events of the team. */
import { group } from '../../command.js';
import { exportCommand } from './export.js';
import { tailCommand } from './tail.js';

export const eventsCommand = group('events', 'The events of the team, from the log', [
  tailCommand,
  exportCommand,
]);
