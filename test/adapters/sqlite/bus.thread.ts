/** A thread that waits for one batch, and posts what came and how long it waited. */
import { parentPort, workerData } from 'node:worker_threads';
import { openLocalBus } from '../../../src/adapters/sqlite/bus.js';
import { consumerOf } from '../../contract/bus/subject.js';

// Nothing else keeps a waiting thread alive.
parentPort!.on('message', () => undefined);
const bus = await openLocalBus(workerData as { folder: string });
const consumer = consumerOf(bus);
const taking = consumer.take();
const began = performance.now();
parentPort!.postMessage('waiting');
const places = await taking;
parentPort!.postMessage({ places, ms: performance.now() - began });
await consumer.end();
await bus.close();
parentPort!.close();
