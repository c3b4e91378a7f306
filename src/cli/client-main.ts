#!/usr/bin/env node
/** The program `testledger` as a server hands it out: for jobs and people who use a server, and run none. */
import { clientCommands } from './client-commands.js';
import { runCommandLine } from './command-line.js';

await runCommandLine(process.argv.slice(2), clientCommands);
