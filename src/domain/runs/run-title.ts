/** What a run is called. */
import { cut } from '../text/cut.js';
import type { Metadata } from './run-record.js';

const MOST_TITLE = 160;

type Titled = { metadata: Metadata | null; label: string | null; run_key: string | null; id: string };

/** The first line of its message, else its label. */
export function titleOfRun({ metadata, label, run_key, id }: Titled): string {
  const message = metadata?.['message'];
  const text = [message, label, run_key].find((each) => typeof each === 'string' && each.trim() !== '');
  const [line = ''] = typeof text === 'string' ? text.trim().split('\n', 1) : [];
  if (line === '') return `Run ${id.slice(-6)}`;
  return cut(line, MOST_TITLE);
}
