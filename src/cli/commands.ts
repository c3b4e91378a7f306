/** All commands: those of clients, and those that work on the stores of this machine. */
import { clientCommands } from './client-commands.js';
import type { Commands } from './command-line.js';

export const commands: Commands = new Map([
  ...clientCommands,
  ['keys', keys],
  ['people', async () => (await import('./commands/people/people.js')).peopleCommand],
  ['serve', async () => (await import('./commands/serve.js')).serveCommand],
  ['rebuild', async () => (await import('./commands/rebuild.js')).rebuildCommand],
  ['projections', async () => (await import('./commands/projections.js')).projectionsCommand],
  ['backup', async () => (await import('./commands/backup.js')).backupCommand],
  ['copy-log', async () => (await import('./commands/copy-log.js')).copyLogCommand],
  ['doctor', doctor],
  ['restore', async () => (await import('./commands/restore.js')).restoreCommand],
  ['reseal', async () => (await import('./commands/reseal.js')).resealCommand],
]);

async function keys() {
  const { keysCommand } = await import('./commands/keys/keys.js');
  const { createKeyOnMachine } = await import('./commands/keys/create-on-machine.js');
  return keysCommand(createKeyOnMachine);
}

async function doctor() {
  const { doctorCommand } = await import('./commands/doctor/doctor.js');
  const { checkMachine } = await import('./commands/doctor/check-machine.js');
  return doctorCommand(checkMachine);
}
