/** A consumer that notes each event in a file, and kills itself before the position of one is stored. */
import { appendFileSync } from 'node:fs';
import { createClient, positionFile } from '../../src/client/index.js';

const [taken, position, killedAt] = process.argv.slice(2);
const client = createClient({ url: process.env['URL_OF_SERVER']!, apiKey: process.env['API_KEY']! });
let count = 0;
await client.consumeEvents({
  follow: false,
  store: positionFile(position!),
  async onEvent(event) {
    appendFileSync(taken!, `${event.position}\n`);
    count += 1;
    if (String(count) === killedAt) process.kill(process.pid, 'SIGKILL');
  },
});
