/** The parts of Playwright's reporter API that are used. Playwright is no dependency of this package. */

export type Location = { file: string; line: number; column: number };

export type Suite = {
  title: string;
  type: 'root' | 'project' | 'file' | 'describe';
  parent?: Suite | undefined;
  suites: Suite[];
  tests: TestCase[];
  allTests(): TestCase[];
  project(): { name: string } | undefined;
};

export type TestStatus = 'passed' | 'failed' | 'timedOut' | 'skipped' | 'interrupted';

export type TestCase = {
  id: string;
  title: string;
  parent: Suite;
  location: Location;
  retries: number;
  expectedStatus: TestStatus;
  annotations: readonly { type: string; description?: string }[];
  tags?: readonly string[];
  results: readonly TestResult[];
  titlePath(): string[];
  outcome(): 'skipped' | 'expected' | 'unexpected' | 'flaky';
};

export type TestError = { message?: string; stack?: string; value?: string; location?: Location };

export type TestStep = { title: string; category: string; error?: TestError; steps: readonly TestStep[] };

export type TestResult = {
  retry: number;
  status: TestStatus;
  startTime: Date;
  duration: number;
  workerIndex: number;
  errors: readonly TestError[];
  attachments: readonly { name: string; contentType: string; path?: string; body?: Buffer }[];
  steps: readonly TestStep[];
};

export type FullConfig = {
  rootDir: string;
  shard: { current: number; total: number } | null;
  projects: readonly { name: string; dependencies?: readonly string[]; teardown?: string }[];
};

/** What a reporter may change before the tests run, from Playwright 1.62 on. */
export type TestRun = {
  exclude(target: TestCase | Suite): void;
  skip(target: TestCase | Suite, reason?: string): void;
  mode(suite: Suite): 'serial' | 'parallel' | 'default';
  /** Throws where another reporter has called it. */
  skipSharding(): void;
};

export type Reporter = {
  printsToStdio(): boolean;
  preprocess(params: { config: FullConfig; suite: Suite; testRun: TestRun }): Promise<void>;
  onBegin(config: FullConfig, suite: Suite): void;
  onTestEnd(test: TestCase, result: TestResult): void;
  onError(error: TestError): void;
  onEnd(): Promise<void>;
};
