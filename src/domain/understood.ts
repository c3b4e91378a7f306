/**
 * The keys of metadata that the program understands (docs/api.md, section 9). Metadata is free: a value that is too
 * long, or of another type, is null here and stays in the metadata.
 */
import { environmentKeyIn, environmentOf, type Environment, type EnvironmentKey } from './environment.js';
import { limits } from '../limits.js';
import { firstCharacters } from './first-characters.js';

type Metadata = Record<string, unknown>;

export type UnderstoodRun = {
  branch: string | null;
  commit: string | null;
  pull_request: string | null;
  ci_url: string | null;
  actor: string | null;
  tool: string | null;
  build: string | null;
  environment: Environment | null;
  environment_key: EnvironmentKey;
};

export type UnderstoodError = {
  type: string | null;
  message: string | null;
  stack: string | null;
  expected: string | null;
  actual: string | null;
  /** The name of the set-up or tear-down that failed. */
  hook: string | null;
};

/** To what belongs to a test: an issue, a specification. */
export type Link = { name: string; url: string };

export type UnderstoodResult = {
  file: string | null;
  line: number | null;
  suite: string | null;
  owner: string | null;
  tags: string[];
  links: Link[];
  /** Null where neither `metadata.error` nor an error message says anything. */
  error: UnderstoodError | null;
};

export function understoodRun(metadata: Metadata | null): UnderstoodRun {
  const environment_key = environmentKeyIn(metadata);
  return {
    branch: textIn(metadata, 'branch'),
    commit: textIn(metadata, 'commit'),
    pull_request: textOrNumberIn(metadata, 'pull_request'),
    ci_url: webUrlIn(metadata, 'ci_url'),
    actor: textIn(metadata, 'actor'),
    tool: textIn(metadata, 'tool'),
    build: textIn(metadata, 'build'),
    environment: environmentOf(environment_key),
    environment_key,
  };
}

/** `error_message`: that of the result. It is the message where the metadata has none. */
export function understoodResult(metadata: Metadata | null, error_message: string | null): UnderstoodResult {
  return {
    file: textIn(metadata, 'file'),
    line: lineIn(metadata),
    suite: textIn(metadata, 'suite'),
    owner: textIn(metadata, 'owner'),
    tags: [...(tagsIn(metadata) ?? [])],
    links: [...(linksIn(metadata) ?? [])],
    error: understoodError(metadata, error_message),
  };
}

/**
 * The error message that records show: the one that was sent, else the beginning of `metadata.error.message`. Records
 * derive it when they are read, so a result says the same however it was reported.
 */
export function shownErrorMessage(metadata: Metadata | null, error_message: string | null): string | null {
  if (error_message !== null) return error_message;
  const message = errorIn(metadata)['message'];
  return typeof message === 'string' ? firstCharacters(message, limits.errorMessageLength) : null;
}

function understoodError(metadata: Metadata | null, error_message: string | null): UnderstoodError | null {
  const error = errorIn(metadata);
  const text = (name: string) => (typeof error[name] === 'string' ? error[name] : null);
  const message = text('message') ?? error_message;
  const understood: UnderstoodError = {
    type: textIn(error, 'type'),
    message,
    stack: text('stack'),
    expected: text('expected'),
    actual: text('actual'),
    hook: textIn(error, 'hook'),
  };
  return Object.values(understood).every((value) => value === null) ? null : understood;
}

function errorIn(metadata: Metadata | null): Metadata {
  const sent = metadata?.['error'];
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? (sent as Metadata) : {};
}

/**
 * A text of up to `limits.branchLength` characters, else null. Each result of a run carries a copy of some of them, so a
 * "branch" of 64 KiB would make gigabytes of one submission.
 */
export function textIn(metadata: Metadata | null | undefined, name: string): string | null {
  const value = metadata?.[name];
  if (typeof value !== 'string' || value.length > 2 * limits.branchLength) return null;
  // A character takes one or two units of `length`, so this text is short enough. To count its characters takes long.
  if (value.length <= limits.branchLength) return value;
  return Array.from(value).length > limits.branchLength ? null : value;
}

function textOrNumberIn(metadata: Metadata | null, name: string): string | null {
  const value = metadata?.[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textIn(metadata, name);
}

function webUrlIn(metadata: Metadata | null, name: string): string | null {
  const value = textIn(metadata, name);
  return value !== null && isWebUrl(value) ? value : null;
}

/** Pages show it as a link, so nothing else may look like one: URL takes `https:x` and leading blanks too. */
function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

export function lineIn(metadata: Metadata | null): number | null {
  const value = metadata?.['line'];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Up to `limits.tags` texts of 1 to `limits.tagLength` characters; null for any other value. */
export function tagsIn(metadata: Metadata | null): readonly string[] | null {
  const value = metadata?.['tags'];
  if (!Array.isArray(value) || value.length > limits.tags) return null;
  return value.every(isTag) ? value : null;
}

function isTag(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * limits.tagLength) return false;
  return Array.from(value).length <= limits.tagLength;
}

/** Up to `limits.links` of a name and an address of the web; null for any other value. */
function linksIn(metadata: Metadata | null): readonly Link[] | null {
  const value = metadata?.['links'];
  if (!Array.isArray(value) || value.length > limits.links) return null;
  const links = (value as unknown[]).flatMap((each) => linkOf(each) ?? []);
  return links.length === value.length ? links : null;
}

function linkOf(value: unknown): Link | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, url } = value as Metadata;
  if (typeof name !== 'string' || name === '' || name.length > limits.nameLength) return null;
  if (typeof url !== 'string' || url.length > limits.linkLength || !isWebUrl(url)) return null;
  return { name, url };
}
