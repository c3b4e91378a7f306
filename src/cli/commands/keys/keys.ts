/** `testledger keys`: API keys. */
import { group, type Command } from '../../command.js';
import { createKeyCommand, type CreateOnMachine } from './create.js';
import { generateKeyCommand } from './generate.js';
import { listKeysCommand, revokeKeyCommand } from './list.js';

export function keysCommand(createOnMachine?: CreateOnMachine): Command {
  return group('keys', 'API keys', [
    generateKeyCommand,
    createKeyCommand(createOnMachine),
    listKeysCommand,
    revokeKeyCommand,
  ]);
}
