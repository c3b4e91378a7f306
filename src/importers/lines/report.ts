import { cucumberImporter } from '../cucumber/messages.js';
import type { ImportOptions, ReportFormat } from '../entry.js';
import { goImporter } from '../go/go.js';
import { excerpt } from '../import-error.js';
import type { ImporterContext } from '../importer.js';
import { objectOf, type JsonObject } from '../json/values.js';
import { countReplacements, ReportFault, type OpenReport } from '../report.js';
import { sink as openSink } from '../sink.js';
import type { LinesImporter } from './importer.js';

type Importer = {
  format: ReportFormat;
  /** The beginning of the first line of JSON, which no other report has. */
  begins: RegExp;
  open: (context: ImporterContext) => LinesImporter;
};

const importers: readonly Importer[] = [
  {
    format: 'go',
    begins:
      /^\{\s*"(?:Action"|(?:Time|ImportPath|Package)"\s*:\s*"[^"]*"\s*,\s*"(?:Action|Package|Test)")\s*:/,
    open: goImporter,
  },
  {
    format: 'cucumber',
    begins:
      /^\{\s*"(?:meta|source|gherkinDocument|pickle|parseError|parameterType|stepDefinition|hook|testRunStarted)"\s*:\s*\{/,
    open: cucumberImporter,
  },
];

/** One line may have this many characters: a message with a film in it. */
const LINE = 64 * 1_024 * 1_024;

/** The report whose first line of JSON is in this beginning of a file, or null. */
export function linesReport(beginning: string, options: ImportOptions): OpenReport | null {
  const first = /^[ \t\ufeff]*(\{.*)$/m.exec(beginning)?.[1];
  const found = importers.find(({ begins }) => first !== undefined && begins.test(first));
  return found === undefined ? null : openLines(found, options);
}

function openLines({ format, open }: Importer, options: ImportOptions): OpenReport {
  const sink = openSink(format, options);
  let number = 0;
  /** The pieces of a line that has not ended: joined once, since a line may have thousands of them. */
  let begun: string[] = [];
  let length = 0;
  let mended = 0;
  const fault = (code: 'malformed' | 'incomplete' | 'too_large', detail: string, near: string) =>
    new ReportFault(code, detail, { line: number, column: 1, near: excerpt('', near) });
  const importer = open({
    sink,
    options,
    line: () => number,
    refuse(code, detail) {
      throw new ReportFault(code, detail, { line: number, column: 1, near: '' });
    },
  });

  function line(text: string, isLast: boolean): void {
    number += 1;
    const plain = text.trim();
    if (plain === '') return;
    const isText = !plain.startsWith('{');
    if (isText && importer.text !== undefined) return importer.text(text);
    importer.object(parsed(plain, isLast));
  }

  function parsed(text: string, isLast: boolean): JsonObject {
    try {
      return objectOf(JSON.parse(text) as unknown);
    } catch {
      if (isLast) throw fault('incomplete', 'The file ends before this line does.', text);
      throw fault('malformed', 'The JSON of this line is malformed.', text);
    }
  }

  return {
    write(text) {
      mended += countReplacements(text);
      const whole = text.split('\n');
      const rest = whole.pop()!;
      for (const each of whole) {
        const joined = begun.length === 0 ? each : begun.join('') + each;
        begun = [];
        length = 0;
        line(joined, false);
      }
      begun.push(rest);
      length += rest.length;
      if (length > LINE) throw fault('too_large', `One line has more than ${LINE} characters.`, '');
    },
    end() {
      const rest = begun.join('');
      begun = [];
      if (rest !== '') line(rest, true);
      const missing = importer.missing();
      if (missing !== null) throw fault('incomplete', missing, '');
    },
    finish() {
      importer.end();
      sink.warn('illegal_characters', 'Characters that could not be decoded were mended.', null, mended);
    },
    sink: () => sink,
    format: () => format,
  };
}
