/**
 * The stand-in for EventStoreDB: a process that speaks its protocol, because no package registry has the server itself.
 * Recordings of real servers check it (`../esdb.stand-in.stack.ts`).
 *
 *   node dist/test/stack/esdb/stand-in.js --port 2113 --data FOLDER [--like 23.10|24.2|26.0]
 *     [--answer-after MS] [--until-stdin-ends]
 *
 * Stays in the foreground, on 127.0.0.1, without TLS: `esdb://127.0.0.1:2113?tls=false`. Ends on SIGTERM.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { differences, type Like } from './release.js';
import { addServices } from './services.js';
import { openStore } from './store.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    data: { type: 'string' },
    like: { type: 'string', default: '26.0' },
    'answer-after': { type: 'string', default: '0' },
    'until-stdin-ends': { type: 'boolean', default: false },
  },
});
const { port, data, like } = values;
if (port === undefined || data === undefined || !isLike(like)) {
  throw new Error(
    'usage: stand-in.js --port PORT --data FOLDER [--like 23.10|24.2|26.0] [--answer-after MS] [--until-stdin-ends]',
  );
}

mkdirSync(data, { recursive: true });
const store = openStore(join(data, 'events.log'));
const server = new Server({
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // The limit of the real server: a client that leaks calls must hang on both.
  'grpc.max_concurrent_streams': 100,
});
addServices(server, store, { like: differences[like], answerAfterMs: Number(values['answer-after']) });
server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});

process.once('SIGTERM', end);
process.once('SIGINT', end);
// Its parent may be killed; without this, the process would run on.
if (values['until-stdin-ends']) process.stdin.resume().once('end', end);

function end(): void {
  server.forceShutdown();
  store.close();
  process.exit(0);
}

function isLike(text: string): text is Like {
  return text in differences;
}
