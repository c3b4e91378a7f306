/** The version of the package. */
import { readFileSync } from 'node:fs';
import { packageFolder } from './folders.js';

const manifest = new URL('package.json', packageFolder);

export const version = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
