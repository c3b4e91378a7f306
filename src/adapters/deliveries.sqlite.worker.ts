/** The thread that writes deliveries. */
import { deliveryWritesOn } from './deliveries.sqlite.file.js';
import { serveWrites } from './sqlite.serve.js';

serveWrites(deliveryWritesOn);
