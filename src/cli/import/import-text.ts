/** How an import is shown: for a person, and as JSON. It is pure. */
import type { ResultCounts } from '../../importers/entry.js';
import { leftOutText } from '../../importers/report-folder.js';
import { maskedText } from '../../client/masking/masker.js';
import { runPageUrl, runUrl } from '../summary/facts.js';
import { asLogText } from '../../domain/text/harmless.js';
import { counted, number } from '../../domain/text/amounts.js';
import type { Imported } from './import-reports.js';
import type { FileReport } from './survey.js';

/** Each warning stands for any number of results; a long list would hide the run. */
const MOST_WARNINGS = 20;

export function importText({ survey, description, sent, why, masker }: Imported): string[] {
  const { counts, files } = survey;
  const lines = [
    `${counted(counts.results, 'result')} of ${counted(files.length, 'file')}: ${statusesOf(counts)}`,
  ];
  const masked = maskedText(masker.found());
  if (masked !== null) lines.push(masked);
  const key = asLogText(description.run_key);
  if (sent === null)
    return [...lines, why === 'dry_run' ? `nothing was sent; the run key is "${key}"` : 'nothing was sent'];
  const { run, attachments, url } = sent;
  const { uploaded } = attachments;
  if (uploaded > 0) lines.push(`${counted(uploaded, 'file')} uploaded`);
  if (why === 'imported_before') lines.push('the same files were imported before, so no result was added');
  lines.push(
    `run ${run.id} (${run.status}, ${counted(run.test_count, 'result')}), key "${key}"`,
    runPageUrl(url, run.id),
  );
  return lines;
}

/** What each file was read as, so that a person sees why a count is what it is. */
export function explanation({ survey }: Imported): string[] {
  return survey.reports.flatMap((report) => {
    const { file, format, facts, results, retried, joined, outside, timed } = report;
    const { tool, started_at, finished_at } = facts;
    const tests = results - retried - outside;
    return [
      `${asLogText(file)}: ${formatNames[format]}${tool === undefined ? '' : ` of ${asLogText(tool)}`}, ${number(report.bytes)} bytes`,
      `  ${counted(results, 'result')} of ${counted(tests, 'case')}: ${statusesOf(report)}`,
      ...Object.entries(joined).map(
        ([why, count]) => `  ${counted(count, 'case')} with several attempts: ${why}`,
      ),
      ...(outside > 0
        ? [
            `  ${counted(outside, 'failure')} in no case: a hook, a suite, a file or a counter of the report says so`,
          ]
        : []),
      `  times: the report says ${started_at ?? 'no start'} to ${finished_at ?? 'no end'}; ${counted(timed, 'result')} with a start`,
      ...survey.warnings.filter((each) => each.file === file).map(({ message }) => `  ${asLogText(message)}`),
    ];
  });
}

const formatNames: Record<FileReport['format'], string> = {
  junit: 'JUnit XML',
  ctrf: 'CTRF',
  playwright: "Playwright's JSON",
  trx: 'TRX',
  nunit: 'NUnit 3',
  xunit: 'xUnit',
  allure: 'Allure results',
  go: 'the JSON of go test',
  cucumber: 'Cucumber messages',
  robot: 'the output of Robot',
};

function statusesOf(counts: ResultCounts): string {
  return [
    `${number(counts.passed)} passed`,
    `${number(counts.failed)} failed`,
    ...(counts.skipped > 0 ? [`${number(counts.skipped)} skipped`] : []),
    ...(counts.known_fail > 0 ? [`${number(counts.known_fail)} expected to fail`] : []),
    ...(counts.retried > 0 ? [`${number(counts.retried)} retried`] : []),
  ].join(', ');
}

export function warningLines({ survey, left, sent }: Imported): string[] {
  const lines = [
    ...left.map((each) => asLogText(leftOutText(each), 600)),
    ...survey.errors.map(({ message }) => asLogText(message, 600)),
    ...survey.warnings.map(
      ({ file, message, line, count }) =>
        `${asLogText(file)}${line === null ? '' : `:${line}`}: ${asLogText(message)}${count > 1 ? ` (${number(count)} times)` : ''}`,
    ),
    ...(sent?.attachments.leftOut ?? []).map(
      ({ reason, count, example }) =>
        `${counted(count, 'file')} not uploaded, such as ${asLogText(example)}: ${reason}`,
    ),
  ];
  if (lines.length <= MOST_WARNINGS) return lines;
  return [...lines.slice(0, MOST_WARNINGS), `and ${lines.length - MOST_WARNINGS} more warnings`];
}

export function importJson({
  survey,
  left,
  description,
  sent,
  why,
  masker,
}: Imported): Record<string, unknown> {
  const { counts, files, warnings, errors, bytes } = survey;
  return {
    outcome: why,
    run: sent === null ? null : { ...sent.run, url: runUrl(sent.url, sent.run.id) },
    run_key: description.run_key,
    shard: description.shard,
    label: description.label,
    metadata: description.metadata,
    files: files.length,
    left_out: left,
    bytes,
    results: counts,
    reports: survey.reports.map(
      ({ file, format, bytes: size, facts, results, retried, joined, outside, timed }) => ({
        file,
        format,
        bytes: size,
        facts,
        cases: results - retried - outside,
        attempts_joined: joined,
        failures_outside: outside,
        results_with_a_start: timed,
      }),
    ),
    attachments: { uploaded: sent?.attachments.uploaded ?? 0, left_out: sent?.attachments.leftOut ?? [] },
    masked: masker.found(),
    warnings: warnings.map(({ file, code, message, line, count }) => ({ file, code, message, line, count })),
    errors: errors.map(({ code, file, importer, place, detail }) => ({
      code,
      file,
      importer,
      place,
      detail,
    })),
  };
}
