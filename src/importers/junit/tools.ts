/** What the writers of JUnit files do differently, and how to know them. */
import type { Attributes } from '../xml/reader.js';

export const MOCHA = 'Mocha Tests';

/** The tool that wrote the report, as far as the name of a suite says it. */
export function toolOf(tag: string, { name = '' }: Attributes): string | null {
  if (name === 'pytest' || name === 'pytest tests') return 'pytest';
  // The root of mocha-junit-reporter, and the only suite of mocha's own `xunit`.
  if (name === MOCHA) return 'mocha';
  if (tag !== 'testsuites') return null;
  switch (name) {
    case 'nextest-run':
      return 'nextest';
    case 'jest tests':
      return 'jest';
    case 'vitest tests':
      return 'vitest';
    default:
      return null;
  }
}

/**
 * Playwright writes the file as suite and as class, and the project as host name. The host name of any other tool is a
 * machine, which must not be in the name of a test.
 */
export function isPlaywright(
  suite: { name: string; hostname: string; hostIsMachine: boolean },
  className: string,
): boolean {
  const { name, hostname, hostIsMachine } = suite;
  return !hostIsMachine && hostname !== '' && className === name && /\.[cm]?[jt]sx?$/.test(className);
}

/** A root with a name and without an id, which Playwright never leaves out: Vitest with a name of the user's choice. */
export function hasOwnName(tag: string, { name = '', id }: Attributes): boolean {
  return tag === 'testsuites' && name !== '' && id === undefined;
}

/** pytest counts lines from 0. */
export function lineFrom(text: string | undefined, tool: string | null): number | null {
  if (text === undefined || !/^\d{1,9}$/.test(text.trim())) return null;
  return Number(text) + (tool === 'pytest' ? 1 : 0);
}

/** Gradle writes a lone suite with a host and a time, and no schema, as Surefire does. */
export function isGradle(tag: string, attributes: Attributes): boolean {
  const { timestamp, hostname, skipped } = attributes;
  const hasSchema = Object.keys(attributes).some(
    (name) => name.startsWith('xmlns') || name.startsWith('xsi'),
  );
  return (
    tag === 'testsuite' &&
    timestamp !== undefined &&
    hostname !== undefined &&
    skipped !== undefined &&
    !hasSchema
  );
}
