import { expect } from 'chai';
import { openMongoState } from '../../../src/adapters/mongodb/state.js';
import { openMongoViewReader } from '../../../src/adapters/mongodb/views/reader.js';
import { isAppError, type ErrorCode } from '../../../src/errors.js';
import { startMongod } from '../../stack/mongod.js';
import type { StackServer } from '../../kit/stack-server.js';

describe('MongoDB that is not a replica set', function () {
  let server: StackServer;
  before(async () => {
    server = await startMongod({ alone: true });
  });
  after(() => server.stop());

  it('is refused at the first call with a message that says so, and nothing works in part', async () => {
    const { url } = server;
    const [reader, state] = [openMongoViewReader({ url }), openMongoState({ url })];
    const said = async (call: Promise<unknown>, code: ErrorCode) => {
      const error = await call.catch((error: unknown) => error);
      expect(isAppError(error, code), String(error)).to.equal(true);
      expect(String(error)).to.include('MongoDB is not a replica set');
    };
    await said(reader.position('things'), 'views_unavailable');
    await said(state.get('kind', 'key'), 'state_unavailable');
    await said(state.put('kind', 'key', 1, { expected: 'any' }), 'state_unavailable');
    await reader.close();
    await state.close();
  });
});
