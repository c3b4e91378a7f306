/** Another process, which consumes one message and sends its outbox position. */
import { openNatsBus } from '../../../src/adapters/nats/bus.js';
import { consumerOf } from '../../contract/bus/subject.js';

const bus = await openNatsBus({
  url: process.argv[2] ?? '',
  report: (error) => process.emitWarning(String(error)),
});
const consumer = consumerOf(bus, 1);
const coming = consumer.take();
process.send?.('ready');
process.send?.(await coming);
await consumer.end();
await bus.close();
process.disconnect();
