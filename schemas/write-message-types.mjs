// Writes the types of messages of src/domain/messages into the schemas. Part of `npm run generate`; needs a build.
import { readFile, writeFile } from 'node:fs/promises';
import { messageTypes, subscribableTypes } from '../dist/src/domain/messages/message-types.js';

const file = new URL('common.json', import.meta.url);
const common = JSON.parse(await readFile(file, 'utf8'));
common.$defs.messageType.enum = Object.keys(messageTypes);
common.$defs.webhookEvent.enum = [...subscribableTypes, '*'];
await writeFile(file, `${JSON.stringify(common, null, 2)}\n`);
