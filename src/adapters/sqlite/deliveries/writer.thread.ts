/** The thread that writes deliveries. */
import { deliveryWritesOn } from './table.js';
import { serveWrites } from '../writer/serve-writes.js';

serveWrites({ writesOn: deliveryWritesOn });
