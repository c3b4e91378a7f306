import { expect } from 'chai';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliMain, ended } from '../kit/command.js';

/** Completes the last word as bash does: it sets COMP_WORDS and COMP_CWORD, and calls the function of the command. */
const session = `
source <(testledger completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
function=$(complete -p testledger)
function=\${function#* -F }
"\${function%% *}"
printf '%s\\n' "\${COMPREPLY[@]}"
`;

describe('the completion of bash', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-completion-'));
    const program = join(folder, 'testledger');
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${cliMain}' "$@"\n`);
    await chmod(program, 0o755);
  });
  after(() => rm(folder, { recursive: true }));

  async function completed(words: readonly string[]): Promise<string[]> {
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    const { code, stdout, stderr } = await ended('bash', ['--norc', '-c', session, 'bash', ...words], {
      cwd: folder,
      env,
    });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    return stdout.trimEnd().split('\n');
  }

  it('completes the beginning of a command', async () => {
    expect(await completed(['testledger', 'im'])).to.deep.equal(['import']);
  });

  it('offers the values of a flag', async () => {
    const values = await completed(['testledger', 'gate', '--fail-on', '']);
    expect(values).to.have.members(['none', 'new', 'any', 'flaky']);
  });
}).timeout(60_000);
