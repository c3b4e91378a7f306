/** The thread that writes the state. */
import { serveWrites } from './sqlite.serve.js';
import { writesOn } from './state.sqlite.file.js';

serveWrites(writesOn);
