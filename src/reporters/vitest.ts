/** `testledger/vitest`: a reporter of Vitest 3.2 and newer. */
import { relative } from 'node:path';
import { errorFields, type LiveAttachment, type LiveItem, type ReportedError } from '../client/live/item.js';
import { startLiveRun, type LiveRun } from '../client/live/live-run.js';
import type { LiveRunOptions } from '../client/live/settings.js';
import { NAME_SEPARATOR, testName } from '../test-name.js';

export type VitestReporterOptions = LiveRunOptions;

/** The parts of Vitest's reporter API that are used. Vitest is no dependency of this package. */
type SerialisedError = {
  name?: string;
  message?: string;
  stack?: string;
  expected?: unknown;
  actual?: unknown;
};
type Suite = { type: 'suite'; name: string; parent: Suite | Module; errors(): SerialisedError[] };
type Module = {
  type: 'module';
  moduleId: string;
  project: { name: string };
  children: { allSuites(): Iterable<Suite> };
  errors(): SerialisedError[];
};
type Attachment = { path?: string; body?: string | Uint8Array; contentType?: string; bodyEncoding?: string };
type TestCase = {
  name: string;
  parent: Suite | Module;
  module: Module;
  project: { name: string };
  location?: { line: number } | undefined;
  options: { mode?: string; fails?: boolean | undefined };
  result(): {
    state: 'passed' | 'failed' | 'skipped' | 'pending';
    errors?: readonly SerialisedError[];
    note?: string;
  };
  diagnostic(): { duration: number; startTime: number; retryCount: number } | undefined;
  annotations?(): readonly { message: string; attachment?: Attachment }[];
};
type Reporter = {
  onInit(vitest: { config?: { shard?: { index: number; count: number } } }): void;
  onTestRunStart(): void;
  onTestCaseResult(test: TestCase): void;
  onTestModuleEnd(module: Module): void;
  onTestRunEnd(modules: readonly Module[], errors: readonly SerialisedError[]): Promise<void>;
};

/** Vitest calls it with `new`. */
export default function testledgerReporter(options: VitestReporterOptions = {}): Reporter {
  let run: LiveRun | null = null;
  let shard: { index: number; total: number } | undefined;
  let ended = new Set<Module>();
  /** A file that cannot be loaded, or a hook of a whole suite that fails, has no test that says so. */
  const addOutside = (module: Module): void => {
    if (ended.has(module)) return;
    ended.add(module);
    for (const failure of failuresOutside(module)) run?.add(failure);
  };
  return {
    onInit({ config }) {
      if (config?.shard) shard = { index: config.shard.index, total: config.shard.count };
    },
    // In watch mode each round is a run of its own.
    onTestRunStart() {
      ended = new Set();
      run = startLiveRun({ ...options, shard: options.shard ?? shard, tool: 'vitest' });
    },
    onTestCaseResult(test) {
      run?.add(...attemptsOf(test));
    },
    onTestModuleEnd(module) {
      addOutside(module);
    },
    async onTestRunEnd(modules, errors) {
      // Before Vitest 4, a file that cannot be loaded has no `onTestModuleEnd`.
      for (const module of modules) addOutside(module);
      for (const [n, error] of errors.entries())
        run?.add(failedOutside(['vitest', `unhandled error${n > 0 ? ` #${n + 1}` : ''}`], null, [error], ''));
      await run?.finish();
    },
  };
}

/**
 * Vitest tells the number of attempts once, after the last. It keeps the errors of the earlier ones in the list of the
 * last, one for each in the usual case.
 */
function attemptsOf(test: TestCase): LiveItem[] {
  const { state, errors = [], note } = test.result();
  const { duration, startTime, retryCount = 0 } = test.diagnostic() ?? {};
  const file = fileOf(test.module);
  const path = [...titlesOf(test.parent), test.name];
  const suite = path.slice(0, -1).join(NAME_SEPARATOR);
  const name = testName([file, ...path.flatMap(asInReport)], test.project.name || null);
  const base = {
    file,
    ...(test.location && { line: test.location.line }),
    ...(suite !== '' && { suite }),
    ...(test.project.name && { project: test.project.name }),
  };
  const failed = (found: readonly SerialisedError[], attempt: number): LiveItem => {
    const { error_message, error } = errorFields(found.map(reportedError));
    return { name, status: 'failed', attempt, error_message, metadata: { ...base, error } };
  };
  const earlier = Array.from({ length: retryCount }, (_, n) => failed(errors.slice(n, n + 1), n + 1));
  const attempt = retryCount + 1;
  const times = {
    ...(duration !== undefined && { duration_ms: duration }),
    ...(startTime !== undefined && { started_at: new Date(startTime).toISOString() }),
  };
  const attachments = (test.annotations?.() ?? []).flatMap(attachmentOf);
  switch (state) {
    case 'passed':
      return [...earlier, { name, status: 'passed', attempt, ...times, metadata: base, attachments }];
    case 'failed':
      return [...earlier, { ...failed(errors.slice(retryCount), attempt), ...times, attachments }];
    case 'skipped':
    // Only the tests of a run that was cut off stay pending.
    case 'pending': {
      const reason = note ?? (test.options.mode === 'todo' ? 'todo' : null);
      return [{ name, status: 'skipped', metadata: { ...base, ...(reason && { reason }) } }];
    }
  }
}

/**
 * Vitest's JUnit report joins titles by ` > `. A title that has that itself cannot be told from two titles there, so it
 * is two parts of the name here too: a test keeps its history when this reporter replaces the import.
 */
function asInReport(title: string): string[] {
  return title.split(' > ');
}

function titlesOf(at: Suite | Module): string[] {
  return at.type === 'module' ? [] : [...titlesOf(at.parent), at.name];
}

function fileOf({ moduleId }: Module): string {
  return relative(process.cwd(), moduleId).replaceAll('\\', '/');
}

/** Field by field: that of a worker that died is an `Error`, and a copy of that has neither message nor stack. */
function reportedError({ name, message, stack, expected, actual }: SerialisedError): ReportedError {
  return { type: name, message, stack, expected, actual };
}

function failedOutside(
  path: readonly string[],
  file: string | null,
  errors: readonly SerialisedError[],
  project: string,
): LiveItem {
  const { error_message, error } = errorFields(
    errors.map((each) => ({ ...reportedError(each), hook: 'suite' })),
  );
  const metadata = { ...(file !== null && { file }), error };
  return { name: testName(path, project || null), status: 'failed', error_message, metadata };
}

function failuresOutside(module: Module): LiveItem[] {
  const file = fileOf(module);
  const project = module.project.name;
  const ofModule = module.errors().map((error) => failedOutside([file], file, [error], project));
  const ofSuites = [...module.children.allSuites()].flatMap((suite) => {
    const errors = suite.errors();
    return errors.length === 0
      ? []
      : [failedOutside([file, ...titlesOf(suite).flatMap(asInReport)], file, errors, project)];
  });
  return [...ofModule, ...ofSuites];
}

function attachmentOf({
  message,
  attachment,
}: {
  message: string;
  attachment?: Attachment;
}): LiveAttachment[] {
  if (attachment === undefined) return [];
  const content_type = attachment.contentType ?? 'application/octet-stream';
  const named = { name: message || 'attachment', content_type };
  if (attachment.body !== undefined) {
    const { body } = attachment;
    // As Vitest has it: a text without an encoding is base64.
    const encoding = attachment.bodyEncoding === 'utf-8' ? 'utf8' : 'base64';
    const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body;
    return bytes.length === 0 ? [] : [{ ...named, body: bytes }];
  }
  return attachment.path === undefined || /^https?:/.test(attachment.path)
    ? []
    : [{ ...named, path: attachment.path }];
}
