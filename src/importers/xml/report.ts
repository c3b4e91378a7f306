import type { ImportOptions, ReportFormat } from '../entry.js';
import type { ImporterContext } from '../importer.js';
import { nunitImporter } from '../dotnet/nunit.js';
import { trxImporter } from '../dotnet/trx.js';
import { xunitImporter } from '../dotnet/xunit.js';
import { junitImporter } from '../junit/junit.js';
import { ReportFault, type OpenReport } from '../report.js';
import { robotImporter } from '../robot/robot.js';
import { sink as openSink, type Sink } from '../sink.js';
import { xmlReader, type XmlHandler } from './reader.js';

/** `end` comes after the root element is closed. */
type XmlImporter = XmlHandler & { end?(): void };

type Importer = { format: ReportFormat; open: (context: ImporterContext) => XmlImporter };

/** The importer of each root element. */
const roots = new Map<string, Importer>([
  ['testsuites', { format: 'junit', open: junitImporter }],
  ['testsuite', { format: 'junit', open: junitImporter }],
  ['TestRun', { format: 'trx', open: trxImporter }],
  ['test-run', { format: 'nunit', open: nunitImporter }],
  // Unity and others write the suite alone.
  ['test-suite', { format: 'nunit', open: nunitImporter }],
  ['assemblies', { format: 'xunit', open: xunitImporter }],
  ['assembly', { format: 'xunit', open: xunitImporter }],
  ['robot', { format: 'robot', open: robotImporter }],
]);

/** Root elements of reports that are not imported, and what to do instead. */
const refused = new Map([
  ['test-results', 'This is a report of NUnit 2. Export it as NUnit 3 or JUnit.'],
  ['html', 'This is a page of HTML, not a report.'],
]);

/** A report in XML: its root element decides on the importer. */
export function xmlReport(options: ImportOptions): OpenReport {
  let known: { format: ReportFormat; handler: XmlImporter; sink: Sink } | null = null;

  const reader = xmlReader({
    open(tag, attributes) {
      known ??= start(tag);
      known.handler.open(tag, attributes);
    },
    text: (piece) => known?.handler.text(piece),
    close: (tag) => known?.handler.close(tag),
  });

  function start(root: string): NonNullable<typeof known> {
    const importer = roots.get(root);
    if (importer === undefined) {
      const reason = refused.get(root.toLowerCase());
      if (reason !== undefined) throw new ReportFault('unsupported_format', reason, reader.place());
      const detail = `No report that is known begins with the element ${JSON.stringify(root.slice(0, 100))}.`;
      throw new ReportFault('unknown_format', detail, reader.place());
    }
    const { format, open } = importer;
    const sink = openSink(format, options);
    const handler = open({
      sink,
      options,
      line: reader.line,
      refuse(code, detail) {
        throw new ReportFault(code, detail, reader.place());
      },
    });
    return { format, handler, sink };
  }

  return {
    write: reader.write,
    end: reader.end,
    finish() {
      known?.handler.end?.();
      const sink = known?.sink;
      sink?.warn(
        'illegal_characters',
        'Characters that XML does not allow, or that could not be decoded, were mended.',
        null,
        reader.mended(),
      );
      sink?.warn('leading_space', 'White characters stood before the XML declaration.', 1, reader.leading());
    },
    sink: () => known?.sink ?? null,
    format: () => known?.format ?? null,
  };
}
