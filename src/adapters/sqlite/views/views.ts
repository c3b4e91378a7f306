/**
 * The read models in one SQLite file, `views.sqlite`: a table for each collection of each build, a column for each
 * indexed field, and the document as JSON. The file may be deleted at any stop: it is folded anew from the log.
 */
export { openSqliteViewReader } from './reader.js';
export { openSqliteViewWriter } from './writer.js';
