import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import { eventLogContract } from '../../contract/event-log/contract.js';
import { inNewNamespace, sharedServer } from './test-url.js';

for (const [name, kept] of [
  ['EventStoreDB', {}],
  ['EventStoreDB, where all is read from the server', { keep: 0 }],
] as const) {
  eventLogContract(name, async () => {
    const options = { url: inNewNamespace(sharedServer()), ...kept };
    let log = await openEsdbLog(options);
    return {
      log,
      reopen: async () => {
        await log.close();
        return (log = await openEsdbLog(options));
      },
      openBeside: () => openEsdbLog(options),
      close: () => log.close(),
    };
  });
}
