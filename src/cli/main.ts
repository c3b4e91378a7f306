#!/usr/bin/env node
/** The program `testledger` as it is installed beside a server. */
import { runCommandLine } from './command-line.js';
import { commands } from './commands.js';

await runCommandLine(process.argv.slice(2), commands);
