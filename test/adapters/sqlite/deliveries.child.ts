/**
 * A process that adds and finishes deliveries for ever, several at a time, and reports each answered one. A test kills
 * it. Arguments: the folder, and the first number.
 */
import { openSqliteDeliveries } from '../../../src/adapters/sqlite/deliveries/deliveries.js';
import { delivery, finished, second } from '../../contract/deliveries/subject.js';

const [, , folder = '', first = '0'] = process.argv;
const deliveries = openSqliteDeliveries(folder);
let n = Number(first);
await Promise.all(Array.from({ length: 10 }, (_, worker) => workForEver(`webhook ${worker}`)));

async function workForEver(webhook: string): Promise<never> {
  for (;;) {
    const added = [1, 2, 3].map(() => delivery(webhook, 'x', (n += 1)));
    await deliveries.add(added);
    process.send?.({ ids: added.map(({ id }) => id), state: 'added' });
    const [held] = await deliveries.claimable(webhook, second(1), 1);
    if (held === undefined)
      throw new Error(`nothing is due of ${webhook}, which has a delivery that was just added`);
    await deliveries.put(finished(held.delivery), held.version, second(1));
    process.send?.({ ids: [held.delivery.id], state: 'delivered' });
  }
}
