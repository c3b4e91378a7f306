import { ctrfImporter } from '../ctrf/ctrf.js';
import type { ImportOptions, ReportFormat } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { playwrightImporter } from '../playwright/playwright.js';
import { countReplacements, ReportFault, type OpenReport } from '../report.js';
import { sink as openSink, type Sink } from '../sink.js';
import type { JsonImporter } from './importer.js';
import { jsonReader, type JsonPath } from './reader.js';

type Importer = {
  format: ReportFormat;
  paths: readonly string[];
  open: (context: ImporterContext) => JsonImporter;
};

const ctrf: Importer = {
  format: 'ctrf',
  paths: [
    '$.reportFormat',
    '$.runId',
    '$.shardId',
    '$.results.tool',
    '$.results.summary',
    '$.results.environment',
    '$.results.tests.*',
  ],
  open: ctrfImporter,
};
const playwright: Importer = {
  format: 'playwright',
  paths: ['$.config', '$.suites.*', '$.errors.*', '$.stats'],
  open: playwrightImporter,
};

/** The format whose key comes first in the document, of those that only one format has. */
const keys = new Map<string | number, Importer>([
  ['reportFormat', ctrf],
  ['results', ctrf],
  ['config', playwright],
  ['suites', playwright],
]);

const paths = new Set([...keys.values()].flatMap((importer) => importer.paths));

/** A report in JSON: its first known key decides on the importer. */
export function jsonReport(options: ImportOptions): OpenReport {
  let known: { format: ReportFormat; importer: JsonImporter; sink: Sink } | null = null;
  const early: [JsonPath, unknown][] = [];

  const reader = jsonReader([...paths], (path, value) => {
    const importer = keys.get(path[0] ?? '');
    if (known === null && importer !== undefined) known = start(importer);
    if (known === null) early.push([path, value]);
    else known.importer.value(path, value);
  });

  function start({ format, open }: Importer): NonNullable<typeof known> {
    const sink = openSink(format, options);
    const importer = open({
      sink,
      options,
      line: () => 1,
      refuse(code, detail) {
        throw new ReportFault(code, detail, null);
      },
    });
    for (const [path, value] of early.splice(0)) importer.value(path, value);
    return { format, importer, sink };
  }

  let mended = 0;
  return {
    write(text) {
      mended += countReplacements(text);
      reader.write(text);
    },
    end() {
      reader.end();
      if (known?.importer.isReport() !== false) return;
      const detail = `The file has a key of a ${known.format} report, and nothing else of one.`;
      throw new ReportFault('unknown_format', detail, null);
    },
    finish() {
      const { path, valueAt } = reader.open();
      known?.importer.cut?.(path, valueAt);
      known?.importer.end();
      known?.sink.warn(
        'illegal_characters',
        'Characters that could not be decoded were mended.',
        null,
        mended,
      );
    },
    sink: () => known?.sink ?? null,
    format: () => known?.format ?? null,
  };
}
