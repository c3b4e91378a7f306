/** `testledger issues`: causes of failures as issues of a forge. */
import { group } from '../../command.js';
import { syncCommand } from './sync.js';

export const issuesCommand = group('issues', 'Keep one issue for each cause of failures', [syncCommand]);
