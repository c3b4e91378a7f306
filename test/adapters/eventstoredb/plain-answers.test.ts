import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connectEventStoreDb } from '../../../src/adapters/eventstoredb/connection.js';

describe('a connection to EventStoreDB', () => {
  it('asks for answers that are not compressed, which newer servers would send slowly', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = once(server, 'stream');
    const connection = await connectEventStoreDb(`esdb://127.0.0.1:${port}?tls=false`);
    const read = connection.read(5_000, (client) => client.getStreamMetadata('any'));
    const [stream, headers] = await asked;
    stream.respond({ ':status': 503 }, { endStream: true });
    await read.catch(() => undefined);
    await connection.close();
    server.close();
    expect(headers).to.include({ 'grpc-accept-encoding': 'identity' });
  });
});
