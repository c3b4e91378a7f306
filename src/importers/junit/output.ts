/** The output and the files of a suite, a case or an attempt. */
import { posix } from 'node:path';
import type { BoundedText } from '../values/bounded-text.js';
import type { ReportAttachment } from '../entry.js';
import { bounds, type Reported } from '../reported.js';

export type Output = {
  stdout: BoundedText | null;
  stderr: BoundedText | null;
  attachments: ReportAttachment[];
};

export function noOutput(): Output {
  return { stdout: null, stderr: null, attachments: [] };
}

export function textsOf({ stdout, stderr }: Output): Reported['output'] {
  return { stdout: stdout?.text() ?? '', stderr: stderr?.text() ?? '' };
}

/** One file may be named by a line of the output and by a property, each with slashes of its own. */
export function addAttachment({ attachments }: Output, attachment: ReportAttachment | null): void {
  if (attachment === null || attachments.length >= bounds.attachmentsOfReport) return;
  const { source } = attachment;
  const isKnown = attachments.some(
    (known) =>
      (source === 'path' && known.source === 'path' && plain(known.path) === plain(attachment.path)) ||
      (source === 'url' && known.source === 'url' && known.url === attachment.url),
  );
  if (!isKnown) attachments.push(attachment);
}

function plain(path: string): string {
  return posix.normalize(path.replaceAll('\\', '/'));
}
