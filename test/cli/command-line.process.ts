import { expect } from 'chai';
import { commands } from '../../src/cli/commands.js';
import { testledger } from '../kit/command.js';

describe('the command line, as a process', () => {
  it('lists every command in its help', async () => {
    const { stdout } = await testledger(['--help']);
    const names = [...stdout.matchAll(/^ {2}testledger ([a-z-]+)/gm)].map(([, name]) => name);
    expect(names).to.have.members([...commands.keys()]);
  });

  it('says what is wrong on stderr, with the help of the command, and ends with 2', async () => {
    for (const [args, message] of [
      [[], 'a command or an argument is missing'],
      [['bakup'], 'Did you mean backup?'],
      [['backup'], 'a command or an argument is missing'],
      [['keys', 'create', '--role', 'king'], '"viewer", "member", "admin", "owner"'],
      [['serve', '--port', '1'], 'Unknown argument: port'],
    ] as const) {
      const { code, stdout, stderr } = await testledger(args);
      expect({ code, stdout }, stderr).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.include(message).and.include('--help');
    }
  });

  it('ends with 2 for a flag without its value, and takes what follows -- for names', async () => {
    const gate = await testledger(['gate', '--run']);
    expect(gate.code).to.equal(2);
    expect(gate.stderr).to.match(/the flag --run needs a value/);
    const read = await testledger(['import', '--dry-run', '--', '--no-such-file.xml']);
    expect(read.code).to.equal(2);
    expect(read.stderr).to.match(/--no-such-file\.xml.*No file has this path/);
  });

  it('refuses an address with a password or a query, and does not show it', async () => {
    for (const part of ['user:secret@localhost', 'localhost?token=secret', 'localhost/#secret']) {
      const env = { TESTLEDGER_URL: `http://${part}`, TESTLEDGER_API_KEY: 'tl_key' };
      const { code, stderr } = await testledger(['projects', 'list'], env);
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include('the address of the server').and.not.include('secret');
    }
  });

  it('prints no colours into a pipe', async () => {
    const { stderr } = await testledger(['bakup']);
    expect(stderr).to.not.include('\u001b');
  });
});
