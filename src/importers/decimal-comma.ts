import { Buffer } from 'node:buffer';

/**
 * Whether the durations of an XML report have a comma before the fraction, as those of a Gradle or Surefire with a German
 * locale. `1,234` alone is 1,234 seconds or 1.234; a comma behind a single 0, as in `time="0,160"`, parts no thousands.
 */
export async function hasDecimalComma(bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  let rest = Buffer.alloc(0);
  for await (const piece of bytes) {
    const chunk = Buffer.concat([rest, piece]);
    for (let at = chunk.indexOf(START); at !== -1; at = chunk.indexOf(START, at + 1)) {
      const around = chunk.toString('latin1', Math.max(0, at - 'duration'.length), at + START.length + 1);
      if (/(?:time|duration)="0,\d$/.test(around)) return true;
    }
    rest = chunk.subarray(-OVERLAP);
  }
  return false;
}

const START = '="0,';
const OVERLAP = 'duration'.length + START.length;
