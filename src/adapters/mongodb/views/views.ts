/**
 * The read models in a MongoDB database: a collection for each collection of each build, and one that says which
 * builds there are. The database may be deleted at any stop: it is folded anew from the log.
 */
export { openMongoViewReader } from './reader.js';
export { openMongoViewWriter } from './writer.js';
