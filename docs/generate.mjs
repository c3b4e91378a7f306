// Writes docs/errors.md, docs/command-line-errors.md and docs/limits.md from the tables in src/. Part of `npm run generate`; needs a build.
import { writeFile } from 'node:fs/promises';
import { kinds } from '../dist/src/admission/kinds.js';
import { cliErrors } from '../dist/src/cli/errors.js';
import { exitCodes } from '../dist/src/cli/exit-codes.js';
import { toMarkdown } from '../dist/src/http/problems/document.js';
import { errorList } from '../dist/src/http/problems/pages.js';
import { deliveryPausesMs, describedLimits } from '../dist/src/limits.js';

const madeFrom = (file) => ({
  paragraph: `Made from \`${file}\` by \`npm run generate\`. Do not edit.`,
});

const [heading, ...errors] = errorList({ links: false });
await write('errors.md', [heading, madeFrom('src/errors.ts'), ...errors]);

const nameOfExit = Object.fromEntries(Object.entries(exitCodes).map(([name, code]) => [code, name]));
await write('command-line-errors.md', [
  { heading: 'Errors of the command line', level: 1 },
  madeFrom('src/cli/errors.ts'),
  {
    paragraph:
      'Codes are stable: branch on them, not on texts. With `--json` an error is the document ' +
      '`{ "error": { "code", "message", "advice", "exit_code" } }` on stdout. The ' +
      '[command line](command-line.md#exit-codes) explains the exit codes, and the [errors](errors.md) are those of ' +
      'the API.',
  },
  {
    columns: ['Code', 'Exit code', 'Meaning', 'What to do'],
    rows: Object.entries(cliErrors).map(([code, { title, exit, advice }]) => [
      `\`${code}\``,
      `${exit} \`${nameOfExit[exit]}\``,
      title,
      advice,
    ]),
  },
]);

await write('limits.md', [
  { heading: 'Limits', level: 1 },
  madeFrom('src/limits.ts` and `src/admission/kinds.ts'),
  {
    paragraph:
      'These are the limits that the API promises. Text is counted in Unicode code points. A request beyond a limit ' +
      'is refused with one of the [errors](errors.md). The operator sets other limits: how many requests a key can ' +
      'send, how old a result can be that takes artifacts, how long artifacts, upload URLs and the history of ' +
      'deliveries are kept, and when an idle run is completed. See [configuration](configuration.md).',
  },
  {
    columns: ['Limit', 'Value'],
    rows: Object.values(describedLimits).map(({ sentence, value, unit }) => [sentence, amount(value, unit)]),
  },
  {
    paragraph:
      `A delivery has up to ${deliveryPausesMs.length + 1} attempts. The pauses between them, each up to a tenth ` +
      `shorter or longer, are ${list(deliveryPausesMs.map((ms) => amount(ms, 'milliseconds')))}.`,
  },
  { heading: 'At the same time', level: 2 },
  {
    paragraph:
      'A process does no more than this at the same time, in all, for one team and for one key. A request beyond it ' +
      'waits for its turn, and teams that have less come first. After that time, or where too many wait, it is ' +
      'refused with the error, which has `Retry-After`. Where nothing waits, it is refused at once.',
  },
  {
    columns: ['What', 'In all', 'Team', 'Key', 'Waits for', 'Waiting', 'Error'],
    rows: Object.values(kinds).map(({ sentence, places, unit = 'items', waits, refusal }) => [
      sentence,
      amount(places.all, unit),
      amount(places.perTeam, unit),
      places.perKey ? `${amount(places.perKey, unit)}${places.key ? ` of one ${places.key}` : ''}` : '',
      waits ? amount(waits.ms, 'milliseconds') : '',
      [waits?.all, waits?.perTeam && `${waits.perTeam} of a team`].filter(Boolean).join(', '),
      `\`${refusal.code ?? 'overloaded'}\``,
    ]),
  },
]);

function write(name, blocks) {
  return writeFile(new URL(name, import.meta.url), toMarkdown(blocks));
}

function amount(value, unit) {
  switch (unit) {
    case 'bytes':
      return value >= 1024 && value % 1024 === 0
        ? `${binary(value)} (${grouped(value)} bytes)`
        : bytes(value);
    case 'milliseconds':
      return duration(value);
    case 'items':
      return grouped(value);
    default:
      return `${grouped(value)} ${unit}`;
  }
}

function bytes(value) {
  return `${grouped(value)} bytes`;
}

function binary(value) {
  const mebi = value / 1024 ** 2;
  return mebi >= 1 ? `${grouped(mebi)} MiB` : `${grouped(value / 1024)} KiB`;
}

function duration(ms) {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ];
  const [name, size] = units.find(([, size]) => ms >= size && ms % size === 0) ?? ['millisecond', 1];
  const count = ms / size;
  return `${grouped(count)} ${name}${count === 1 ? '' : 's'}`;
}

function grouped(number) {
  return number.toLocaleString('en-US');
}

function list(parts) {
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
