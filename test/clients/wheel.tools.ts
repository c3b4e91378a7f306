import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { testServer } from '../kit/server.js';

const run = promisify(execFile);

describe('the wheel that a server hands out', function () {
  this.timeout(600_000);
  const server = testServer();
  let folder = '';
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'testledger-wheel-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is found by pip on the page of clients, and is the plugin of pytest', async () => {
    await run('python3', ['-m', 'venv', folder]);
    const python = join(folder, 'bin/python');
    const links = `${server.url}/clients/`;
    const given = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'];
    // What a job with tests of pytest has already.
    await run(python, [...given, 'pytest']);
    await run(python, [...given, '--no-index', '--find-links', links, 'pytest-testledger']);
    const { stdout } = await run(python, ['-m', 'pip', 'show', '--files', 'pytest-testledger']);
    expect(stdout).to.include('Requires: pytest').and.to.include('pytest_testledger/secret_forms.json');
    const { stdout: help } = await run(python, ['-m', 'pytest', '--help'], { cwd: folder });
    expect(help).to.include('--testledger-url');
    const { stdout: checked } = await run(python, ['-m', 'pip', 'check']);
    expect(checked).to.include('No broken requirements');
  });
});
