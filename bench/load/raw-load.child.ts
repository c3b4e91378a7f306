/** The process of the load generator that takes little of the machine. */
import { answerRequests } from '../processes/child.js';
import { openConnections, type RawOrder } from './raw-load.js';

let opened: ReturnType<typeof openConnections> | null = null;

answerRequests<RawOrder, number>(async (order) => {
  if ('open' in order) opened = openConnections(order.open);
  else if ('amount' in order) return opened!.measure(order.amount);
  else opened?.close();
  return 0;
});
