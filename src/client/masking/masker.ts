/**
 * Takes secrets out of what a client sends: what was never sent, nobody has to forget. The plugin of pytest does the same
 * in `masking.py`, and both pass the cases of `clients/pytest/tests/masking.json`.
 */
import { findForms, findPrivateKeys, type Span } from './find-forms.js';
import { findHalves, findValues, secretValues, type Env } from './find-values.js';

export type Masker = {
  /** Of what a test printed or threw, or of a file. */
  text(text: string): string;
  /** Of what a test is known by. The same test has the same name in every job, so a value that is a plain word stays. */
  name(text: string): string;
  /** Metadata of a result or of a run, at all depths. */
  metadata(metadata: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** A large file that may be text was sent as it is. */
  leftOut(): void;
  found(): MaskedCounts;
};

/** What was masked so far, and files that were too large for it. */
export type MaskedCounts = { secrets: number; files_not_searched: number };

/** That of CI services. */
const MASK = '***';

/** What a test is known by, and what a run is compared by. */
const namingKeys: ReadonlySet<string> = new Set([
  'file',
  'suite',
  'owner',
  'tags',
  'environment',
  'tool',
  'branch',
]);

export function openMasker(env: Env = process.env): Masker {
  const values = secretValues(env);
  const notWords = values.filter(({ isWord }) => !isWord);
  const counts = { secrets: 0, files_not_searched: 0 };

  function masked(text: string, ofJob: typeof values): string {
    const whole = [...findForms(text), ...findPrivateKeys(text), ...findValues(text, ofJob)];
    const halves = mayBeCut(text) ? findHalves(text, ofJob) : [];
    if (whole.length === 0 && halves.length === 0) return text;
    counts.secrets += joined(whole).length;
    let result = '';
    let from = 0;
    for (const [begin, end] of joined([...whole, ...halves])) {
      result += text.slice(from, begin) + MASK;
      from = end;
    }
    return result + text.slice(from);
  }

  const text = (given: string): string => masked(given, values);
  const name = (given: string): string => masked(given, notWords);

  return {
    text,
    name,
    metadata: (metadata) =>
      Object.fromEntries(
        Object.entries(metadata).map(([key, value]) => [
          text(key),
          maskedValue(value, namingKeys.has(key) ? name : text),
        ]),
      ),
    leftOut: () => void (counts.files_not_searched += 1),
    found: () => ({ ...counts }),
  };
}

/** For `--no-mask`. */
export const noMasker: Masker = {
  text: (text) => text,
  name: (text) => text,
  metadata: (metadata) => metadata,
  leftOut() {},
  found: () => ({ secrets: 0, files_not_searched: 0 }),
};

/** For people; null where nothing was found. */
export function maskedText({ secrets, files_not_searched: files }: MaskedCounts): string | null {
  const parts = [
    ...(secrets > 0 ? [`${secrets} ${secrets === 1 ? 'secret' : 'secrets'} masked`] : []),
    ...(files > 0 ? [`${files} ${files === 1 ? 'file' : 'files'} too large to look for secrets`] : []),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function mayBeCut(text: string): boolean {
  return text.includes('…') || text.includes('...');
}

function joined(spans: readonly Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function maskedValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((each) => maskedValue(each, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [mask(key), maskedValue(each, mask)]));
}
