/** `testledger run`: around a test command, or step by step. */
import { group } from '../../command.js';
import { finishRunCommand } from './finish.js';
import { startRunCommand } from './start.js';
import { wrapCommand } from './wrap.js';

export const runCommand = group('run', 'Run a test command (after --), or report a run step by step', [
  wrapCommand,
  startRunCommand,
  finishRunCommand,
]);
