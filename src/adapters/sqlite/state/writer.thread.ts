/** The thread that writes the state. */
import { serveWrites } from '../writer/serve-writes.js';
import { writesOn } from './table.js';

serveWrites({ writesOn });
