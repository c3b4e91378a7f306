/** Stack traces name lines of TypeScript. As a flag of Node in `.mocharc.json`, this made mocha start a second process. */
process.setSourceMapsEnabled(true);
