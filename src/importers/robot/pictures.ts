import type { ReportAttachment } from '../entry.js';
import { attachmentOf } from '../report-attachment.js';

/** Pictures that a message shows, as the libraries for browsers write them. */
export function pictures(html: string): ReportAttachment[] {
  return [
    ...html.slice(0, 64 * 1_024).matchAll(/<(?:img|source)\s[^>]{0,500}?\bsrc="([^"]{1,4096})"/g),
  ].flatMap(([, src]) => attachmentOf(src!.replaceAll('&amp;', '&')) ?? []);
}
