import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { testServer } from '../kit/server.js';
import { commandLine, junit } from './command-line.js';

const shell = promisify(execFile);

describe('testledger shard', () => {
  const given = commandLine(testServer());

  it('deals the files of a runner out by the plan of the newest runs, as words of a shell', async () => {
    await given.file('reports/unit.xml', junit({ one: 'passed' }));
    await given.run(['import', 'reports/unit.xml']);
    expect(await given.run(['shard-plan', '--output', 'plan.json'])).to.include({ code: 0 });
    const list = ['a b.test.ts', "it's.test.ts", '$(exit 9).test.ts', 'plain.test.ts'];
    const words: string[] = [];
    for (const index of ['1', '2']) {
      const ran = await given.run([
        'shard',
        '--plan',
        'plan.json',
        '--index',
        index,
        '--total',
        '2',
        '--print',
        'vitest',
        '--',
        ...list,
      ]);
      expect(ran, ran.stderr).to.include({ code: 0 });
      const { stdout } = await shell('bash', [
        '-c',
        `eval "set -- $1"; printf '%s\\n' "$@"`,
        'bash',
        ran.stdout.trim(),
      ]);
      words.push(...stdout.trim().split('\n'));
    }
    expect(words).to.have.members(list);
  });

  it('prints nothing for an empty shard, and refuses a shard, a plan or a list that is none', async () => {
    await given.file(
      'plan.json',
      '{"version":1,"project_id":"p","run_ids":[],"durations":[],"suites":[],"known_failures":[]}',
    );
    const shard = (...args: string[]) => given.run(['shard', '--plan', 'plan.json', ...args]);
    const empty = await shard('--index', '2', '--total', '2', '--print', 'jest', '--', 'one.test.js');
    expect(empty).to.include({ code: 0, stdout: '' });
    for (const [args, message] of [
      [['--index', '3', '--total', '2', '--', 'one'], '--index must be 1 to --total'],
      [['--index', '1', '--total', '2'], 'there is no list'],
      [['--plan', 'none.json', '--index', '1', '--total', '2', '--', 'one'], 'none.json'],
    ] as const) {
      const refused = await shard(...args);
      expect(refused).to.include({ code: 2, stdout: '' });
      expect(refused.stderr).to.include(message);
    }
  });
});
