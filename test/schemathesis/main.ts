/**
 * Runs Schemathesis, a fuzzer for OpenAPI, over `/openapi.json` of a server that it starts: `npm run test:schemathesis`.
 * It fails for an answer of 500 or more, for an answer that the document does not have, and if no operation was called.
 * `SCHEMATHESIS_SECONDS` sets its time. Needs Python 3 with venv, and the package registry.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { startProgram } from '../../src/main.js';

const SECONDS = process.env['SCHEMATHESIS_SECONDS'] ?? '60';
const KEY = 'tl_HttpSuiteBootstrapKey0000000000wNH7m';

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

const root = fileURLToPath(new URL('../../../', import.meta.url));
const venv = join(root, '.cache', 'schemathesis');

const st = await installed();
const folder = await mkdtemp(join(tmpdir(), 'testledger-schemathesis-'));
const program = await startProgram(
  readConfig({
    PORT: '0',
    DATA_DIR: folder,
    BLOBS_URL: `file:${folder}`,
    BOOTSTRAP_API_KEY: KEY,
    VALIDATE_EVENTS: 'on',
    RATE_LIMIT: 'off',
  }),
  pino({ level: 'error' }),
);
try {
  const report = join(folder, 'report.json');
  const status = await run(st, [
    'run',
    `${program.url}/openapi.json`,
    `--header=Authorization:Bearer ${KEY}`,
    `--checks=${CHECKS.join(',')}`,
    // The last one calls operations with the ids that others have answered.
    '--phases=coverage,fuzzing,stateful',
    `--max-time=${SECONDS}`,
    '--max-examples=50',
    // Two workers meet a fault of Python 3.11: "AST constructor recursion depth mismatch".
    '--workers=1',
    '--request-timeout=30',
    '--generation-database=none',
    '--warnings=off',
    '--no-color',
    '--report=json',
    `--report-json-path=${report}`,
  ]);
  const { called, cases } = await countsIn(report);
  console.log(`Schemathesis called ${called} operations in ${cases} cases, and ended with status ${status}.`);
  process.exitCode = status === 0 && called > 0 && cases > called ? 0 : 1;
} finally {
  await program.stop();
  await rm(folder, { recursive: true });
}

/** Installs the pinned version into `.cache/`, unless it is there. Returns the path of its command. */
async function installed(): Promise<string> {
  const wanted = join(root, 'test', 'schemathesis', 'requirements.txt');
  const done = join(venv, 'requirements.txt');
  const same = existsSync(done) && (await readFile(done, 'utf8')) === (await readFile(wanted, 'utf8'));
  if (!same) {
    await mustRun('python3', ['-m', 'venv', '--clear', venv]);
    await mustRun(join(venv, 'bin', 'pip'), ['install', '--quiet', '--requirement', wanted]);
    await copyFile(wanted, done);
  }
  return join(venv, 'bin', 'st');
}

async function mustRun(command: string, args: readonly string[]): Promise<void> {
  const status = await run(command, args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

/** Returns the status with which the command ends; 1 for a signal. */
async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: tmpdir() });
  const [status] = (await once(child, 'exit')) as [number | null];
  return status ?? 1;
}

async function countsIn(report: string): Promise<{ called: number; cases: number }> {
  const { operations, test_cases } = JSON.parse(await readFile(report, 'utf8')) as {
    operations: { tested: number };
    test_cases: { generated: number };
  };
  return { called: operations.tested, cases: test_cases.generated };
}
