import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { givenProject, givenResult, givenSubmission } from '../http/given.js';
import { cliMain } from '../kit/command.js';
import { OWNER_KEY } from '../kit/environment.js';
import { testProxy } from '../kit/proxy.js';
import { servers, until, type RunningServer } from '../kit/process.js';

describe('testledger events', () => {
  const given = servers();
  const env = (server: RunningServer) => ({ TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: OWNER_KEY });
  const out = () => join(given.folder, 'events.ndjson');
  const events = (server: RunningServer, ...args: string[]) =>
    given.cli(['events', ...args], { env: env(server) });

  it('exports every event once and in order, and a later export with --resume adds what is new', async () => {
    const server = await given.start();
    const project = await givenProject(server.owner);
    await givenSubmission(
      server.owner,
      project,
      Array.from({ length: 2_500 }, () => ({})),
    );
    const first = events(server, 'export', '--out', out(), '--json');
    expect((await first.ended).code, first.stderr()).to.equal(0);
    const { events: count, position } = JSON.parse(first.stdout());
    expect(count).to.be.above(2_500);
    expect(position).to.match(/^\d{20}/);

    await givenResult(server.owner, project);
    expect((await events(server, 'export', '--out', out()).ended).code, 'without --resume').to.equal(2);
    const second = events(server, 'export', '--out', out(), '--resume', '--json');
    expect((await second.ended).code, second.stderr()).to.equal(0);
    expect(JSON.parse(second.stdout()).events).to.be.above(0);

    const whole = events(server, 'export');
    expect((await whole.ended).code).to.equal(0);
    expect(await readFile(out(), 'utf8')).to.equal(whole.stdout());
    const positions = whole
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).position);
    expect(positions).to.deep.equal([...new Set(positions)].sort((one, other) => (one < other ? -1 : 1)));
  });

  it('ends with 0 where the reader of the pipe is gone', async () => {
    const server = await given.start();
    const child = spawn(process.execPath, [cliMain, 'events', 'tail', '--after', ''.padStart(20, '0')], {
      env: { PATH: process.env['PATH'], ...env(server) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const closed = once(child, 'close');
    child.stdout.destroy();
    await until('an event after the reader is gone', async () => {
      await givenProject(server.owner);
      return child.exitCode !== null;
    });
    expect((await closed)[0]).to.equal(0);
  });

  it('goes on after a kill -9, also behind an event that was cut off', async () => {
    const server = await given.start();
    const project = await givenProject(server.owner);
    await givenSubmission(
      server.owner,
      project,
      Array.from({ length: 6_000 }, () => ({})),
    );
    const first = events(server, 'export', '--out', out());
    await until('a first page', () =>
      stat(out()).then(
        ({ size }) => size > 0,
        () => false,
      ),
    );
    first.signal('SIGKILL');
    await first.ended;
    const { size } = await stat(out());
    await truncate(out(), size - 20);

    const second = events(server, 'export', '--out', out(), '--resume');
    expect((await second.ended).code, second.stderr()).to.equal(0);
    const whole = events(server, 'export');
    await whole.ended;
    expect(await readFile(out(), 'utf8')).to.equal(whole.stdout());
  });

  it('leaves a file alone that is not an export', async () => {
    const server = await given.start();
    await writeFile(out(), 'my letters\n');
    await appendFile(out(), 'more of them');
    const refused = events(server, 'export', '--out', out(), '--resume', '--json');
    expect((await refused.ended).code).to.equal(2);
    expect(JSON.parse(refused.stdout()).error.code).to.equal('file_unreadable');
    expect(await readFile(out(), 'utf8')).to.equal('my letters\nmore of them');
  });

  it('tails events of the types that are asked for as they are recorded, and none from before', async () => {
    const server = await given.start();
    const project = await givenProject(server.owner, { name: 'before' });
    const tail = events(server, 'tail', '--types', 'ResultCreated');
    const names = () =>
      tail
        .stdout()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).data.test_name);
    let n = 0;
    await until('the tail to show a result', async () => {
      await givenResult(server.owner, project, { test_name: `test ${(n += 1)}` });
      return names().length > 0;
    });
    const [begin] = names();
    await givenResult(server.owner, project, { test_name: 'the last' });
    await until('the last result', () => names().includes('the last'));
    const from = Number(begin.slice('test '.length));
    const expected = Array.from({ length: n - from + 1 }, (_, index) => `test ${from + index}`);
    expect(names()).to.deep.equal([...expected, 'the last']);
    tail.signal('SIGINT');
    await tail.ended;
  });

  describe('through a proxy that sees its requests', () => {
    let target = '';
    let requests: string[] = [];
    const proxy = testProxy(
      () => target,
      ({ path }) => {
        requests.push(path);
        return 'pass';
      },
    );
    beforeEach(() => void (requests = []));

    function tailAfter(after: string) {
      const tail = given.cli(['events', 'tail', '--after', after, '--types', 'ProjectCreated'], {
        env: { TESTLEDGER_URL: proxy.url, TESTLEDGER_API_KEY: OWNER_KEY },
      });
      const shown = () =>
        tail
          .stdout()
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line).data.name as string);
      return { tail, shown };
    }

    it('tails events that are recorded one after the other with one request', async () => {
      const server = await given.start();
      target = server.url;
      const { shown } = tailAfter('');
      const names = ['one', 'two', 'three', 'four'];
      for (const name of names) {
        await givenProject(server.owner, { name });
        await until(`the tail to show ${name}`, () => shown().includes(name));
      }
      expect(shown()).to.deep.equal(names);
      expect(requests).to.have.length(1);
    });

    it('ends with 4 where the server refuses the position', async () => {
      const server = await given.start();
      target = server.url;
      const { tail } = tailAfter('no position');
      const { code } = await tail.ended;
      expect(code).to.equal(4);
      expect(requests).to.have.length(1);
    });
  });
});
