/** The contract on the nats-server of the run. */
import { openNatsBus } from '../../../src/adapters/nats/bus.js';
import { busContract } from '../../contract/bus.js';
import { emptyStream } from './stream.js';

busContract('NATS JetStream', async () => {
  const { url, remove } = emptyStream();
  const faults: unknown[] = [];
  return {
    open: () => openNatsBus({ url, report: (fault) => void faults.push(fault) }),
    remove: async () => {
      await remove();
      // A server that is there gives nothing to report.
      if (faults.length > 0) throw new AggregateError(faults, 'the bus has reported');
    },
  };
});
