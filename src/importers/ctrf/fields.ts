/** The fields of each object in the schema of CTRF. It allows no other ones. */

export const toolFields = new Set(['name', 'version', 'extra']);

export const summaryFields = new Set([
  'tests',
  'passed',
  'failed',
  'skipped',
  'pending',
  'other',
  'flaky',
  'suites',
  'start',
  'stop',
  'duration',
  'extra',
]);

export const environmentFields = new Set([
  'reportName',
  'appName',
  'appVersion',
  'buildId',
  'buildName',
  'buildNumber',
  'buildUrl',
  'repositoryName',
  'repositoryUrl',
  'commit',
  'branchName',
  'osPlatform',
  'osRelease',
  'osVersion',
  'testEnvironment',
  'healthy',
  'extra',
]);

const common = [
  'status',
  'duration',
  'start',
  'stop',
  'message',
  'trace',
  'snippet',
  'line',
  'stdout',
  'stderr',
  'attachments',
  'extra',
];

export const attemptFields = new Set([...common, 'attempt', 'executionId']);

export const testFields = new Set([
  ...common,
  'id',
  'testId',
  'executionId',
  'name',
  'suite',
  'ai',
  'rawStatus',
  'tags',
  'labels',
  'type',
  'filePath',
  'retries',
  'retryAttempts',
  'flaky',
  'threadId',
  'browser',
  'device',
  'screenshot',
  'parameters',
  'steps',
  'insights',
]);
