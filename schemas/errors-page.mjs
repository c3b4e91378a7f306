// Writes docs/errors.md from the table of errors. Part of `npm run generate`; needs a build.
import { writeFile } from 'node:fs/promises';
import { errors } from '../dist/src/errors.js';

const internal = new Set(['wrong_revision', 'not_a_position', 'fenced']);
const rows = Object.entries(errors)
  .filter(([code]) => !internal.has(code))
  .map(([code, { status, b, title }]) => `| \`${code}\` | ${status} | \`${b}\` | ${title} |`);

const text = `# Errors

Made from \`src/errors.ts\` by \`npm run generate\`. Codes are stable: branch on them, not on texts.

On Surface A an error is an RFC 9457 problem document whose \`code\` is the first column and whose \`errors\` name
each field that is wrong. On Surface B it is \`{ "error": { "code", "message", "details" } }\` with the code of the
third column; where that stands for several, \`details.reason\` tells which.

| Surface A | Status | Surface B | Meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
await writeFile(new URL('../docs/errors.md', import.meta.url), text);
