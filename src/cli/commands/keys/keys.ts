/** `testledger keys`: API keys. */
import { group } from '../../command.js';
import { createKeyCommand } from './create.js';
import { generateKeyCommand } from './generate.js';
import { listKeysCommand, revokeKeyCommand } from './list.js';

export const keysCommand = group('keys', 'API keys', [
  generateKeyCommand,
  createKeyCommand,
  listKeysCommand,
  revokeKeyCommand,
]);
