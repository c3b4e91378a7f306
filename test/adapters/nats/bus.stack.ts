/** The contract on the nats-server of the run. */
import { expect } from 'chai';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openNatsBus } from '../../../src/adapters/nats/bus.js';
import { busContract } from '../../contract/bus/contract.js';
import { message, place } from '../../contract/bus/subject.js';
import { emptyStream } from './stream.js';

busContract('NATS JetStream', async () => {
  const { url, remove } = emptyStream();
  const faults: unknown[] = [];
  return {
    open: () => openNatsBus({ url, report: (fault) => void faults.push(fault) }),
    remove: async () => {
      await remove();
      // A healthy server gives nothing to report.
      if (faults.length > 0) throw new AggregateError(faults, `the bus has reported: ${faults.join('; ')}`);
    },
  };
});

describe('the bus on NATS JetStream', function () {
  it('carries messages to a consumer in another process, as it says', async () => {
    const { url, remove } = emptyStream();
    const bus = await openNatsBus({ url, report: () => undefined });
    expect(bus.crossesProcesses).to.equal(true);
    const child = fork(new URL('./bus.child.js', import.meta.url), [url]);
    const [ready] = (await once(child, 'message')) as [string];
    expect(ready).to.equal('ready');
    const taken = once(child, 'message');
    const exited = once(child, 'exit');
    await bus.publish([message(1)]);
    expect(await taken).to.deep.equal([[place(1)], undefined]);
    await exited;
    await bus.close();
    await remove();
  });
});
