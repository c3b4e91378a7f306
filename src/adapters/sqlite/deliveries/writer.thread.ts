/** The thread that writes deliveries. */
import { deliveryWritesOn } from './table.js';
import { serveWrites } from '../serve-writes.js';

serveWrites(deliveryWritesOn);
