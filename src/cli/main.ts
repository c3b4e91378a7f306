#!/usr/bin/env node
/** The program `testledger`. */
import { mapUncaughtErrors } from '../source-maps.js';
import { runCommandLine } from './command-line.js';

mapUncaughtErrors();
await runCommandLine(process.argv.slice(2));
