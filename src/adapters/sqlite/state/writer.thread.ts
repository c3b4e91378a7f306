/** The thread that writes the state. */
import { serveWrites } from '../serve-writes.js';
import { writesOn } from './table.js';

serveWrites(writesOn);
