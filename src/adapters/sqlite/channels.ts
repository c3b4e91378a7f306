/** The channels on which the threads of a process announce commits. Each name holds the real path of the folder. */
import { realpathSync } from 'node:fs';

export function logChannel(folder: string): string {
  return `testledger-log:${realpathSync(folder)}`;
}

export function viewsChannel(folder: string): string {
  return `testledger views ${realpathSync(folder)}`;
}
