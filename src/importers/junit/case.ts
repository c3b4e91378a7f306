/** What is read of one test case and of the suites around it, and its facts. */
import { beginningOf } from '../values/bounded-text.js';
import { bounds } from '../reported.js';
import { tagsFrom } from '../tags.js';
import type { Attributes } from '../xml/reader.js';
import type { Failure } from './failure.js';
import type { Output } from './output.js';
import { lineFrom } from './tools.js';

export type Counts = { failures: number; errors: number };

export type Suite = {
  name: string;
  /** Names of suites, this one included, for the names of tests. */
  path: readonly string[];
  file: string;
  hostname: string;
  /** Whether the host name is surely a machine, and no project of Playwright. */
  hostIsMachine: boolean;
  /** The file of a root suite before this one, for its siblings: Cypress writes it only there. */
  fileOfSiblings: string;
  tool: string | null;
  /** go-junit-report numbers its suites, and gotestsum does not. */
  hasId: boolean;
  output: Output;
  /** The failures and the errors that it counts. */
  counted: Counts;
  /** Those that are inside of it, by their elements. */
  found: Counts;
  /** Whether it says of itself that it failed. */
  saysFailed: boolean;
  /** The elements of attempts that another one followed: Gradle counts them, and others do not. */
  retried: number;
  isGradle: boolean;
  /** The cases in it so far, and the tests that it counts. */
  cases: number;
  tests: number | null;
  /** The element `testsuites`. */
  isRoot: boolean;
  /** A suite of `go test`, or around such suites. */
  isGo: boolean;
  at: number;
};

export type Attempt = Failure & { time: string | undefined; output: Output };

export type Case = {
  attributes: Attributes;
  at: number;
  failures: Failure[];
  fileOfFailure: { file: string; line: string } | null;
  skipped: { type: string; message: string } | null;
  /** Attempts before this one, and after it. */
  flaky: Attempt[];
  reruns: Attempt[];
  output: Output;
  properties: Map<string, string | string[]>;
};

/** Properties of one case that are kept. */
const PROPERTIES = 50;

export function placeOf(
  { attributes, fileOfFailure }: Case,
  suite: Suite | undefined,
  fileOfClass: string,
): { file: string | null; line: number | null } {
  const file =
    textOf(attributes.file ?? attributes.filepath) ||
    fileOfClass ||
    suite?.file ||
    fileOfFailure?.file ||
    null;
  const line = attributes.line ?? (fileOfFailure?.file === file ? fileOfFailure?.line : undefined);
  return { file, line: lineFrom(line, suite?.tool ?? null) };
}

export function ownerOf(properties: Case['properties']): string | null {
  const owner = properties.get('owner');
  return typeof owner === 'string' && owner !== '' ? owner : null;
}

export function extraOf({ attributes, properties }: Case): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  for (const name of ['value_param', 'type_param'] as const) {
    if (attributes[name] !== undefined) extra[name] = beginningOf(attributes[name], bounds.short);
  }
  Object.assign(extra, tagsFrom([...textsOf(properties.get('tag')), ...listed(properties.get('tags'))]));
  const others = [...properties].filter(([name]) => !['owner', 'tag', 'tags'].includes(name));
  if (others.length > 0) extra.properties = Object.fromEntries(others);
  return extra;
}

/** `tags` of one text with commas. */
function listed(values: string | string[] | undefined): string[] {
  return textsOf(values).flatMap((value) => value.split(','));
}

function textsOf(values: string | string[] | undefined): readonly string[] {
  return typeof values === 'string' ? [values] : (values ?? []);
}

export function addProperty(properties: Case['properties'], name: string, value: string): void {
  const known = properties.get(name);
  if (known === undefined && properties.size >= PROPERTIES) return;
  const text = beginningOf(value, bounds.short);
  if (known === undefined) properties.set(beginningOf(name, 255), text);
  else if (typeof known === 'string') properties.set(name, [known, text]);
  else if (known.length < PROPERTIES) known.push(text);
}

export function textOf(attribute: string | undefined): string {
  return attribute ?? '';
}

export function countOf(attribute = ''): number {
  return /^\s*\d{1,9}(?:\.0*)?\s*$/.test(attribute) ? Number(attribute) : 0;
}
