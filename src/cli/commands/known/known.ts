/** `testledger known`: the known failures of a project's tests. */
import type { Argv } from 'yargs';
import { unwrap, type Client } from '../../../client/index.js';
import { isId } from '../../../domain/ids.js';
import { testIdOf } from '../../../domain/test-history/test.js';
import { asLogText } from '../../../domain/text/harmless.js';
import { projectId, wholeList, withClient } from '../../api.js';
import { command, group } from '../../command.js';
import { failWith } from '../../errors.js';
import { exitCodes } from '../../exit-codes.js';
import { projectFlag, serverFlags, wantedProject, type ProjectFlag, type ServerFlags } from '../../server.js';
import { table } from '../../table.js';

type Flags = ServerFlags & ProjectFlag;
type OfTest = Flags & { test: string };

const list = command<Flags>({
  command: 'list',
  describe: 'List the known failures in force, the first to end first',
  flags: (parser) => projectFlag(serverFlags(parser)),
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const id = await projectId(client, wantedProject(flags));
      const tests = await wholeList((query) =>
        unwrap(
          client.GET('/v1/projects/{id}/tests', {
            params: { path: { id }, query: { ...query, known_failure: 'true' } },
          }),
        ),
      );
      const known = tests.map(({ id: test_id, name, known_failure }) => ({ test_id, name, known_failure }));
      const rows = known.map(({ test_id, name, known_failure }) => {
        const { expires_at = '', branch = null, reason = '' } = known_failure ?? {};
        return [test_id, `until ${expires_at}`, branch ?? 'all branches', name, reason];
      });
      terminal.result({ known }, table(rows));
      return exitCodes.ok;
    }),
});

const set = command<OfTest & { reason: string; until: string; branch: string | undefined }>({
  command: 'set <test>',
  describe: 'Say that the failures of a test are known until a time, so that they fail no gate',
  flags: (parser) =>
    ofTest(parser)
      .option('reason', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'Why, for people',
      })
      .option('until', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'Its end, in UTC: 2026-12-01 or 2026-12-01T12:00:00Z',
      })
      .option('branch', {
        type: 'string',
        requiresArg: true,
        describe: 'Only on this branch; by default on all',
      }),
  run: ({ reason, until, branch, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const path = await placeOf(client, flags);
      const expires_at = /^\d{4}-\d\d-\d\d$/.test(until) ? `${until}T00:00:00Z` : until;
      const body = { reason, expires_at, ...(branch !== undefined && { branch }) };
      const { data } = await unwrap(
        client.PUT('/v1/projects/{id}/tests/{test}/known-failure', { params: { path }, body }),
      );
      const { id, name, known_failure } = data;
      const end = known_failure?.expires_at ?? expires_at;
      terminal.result({ test: { id, name }, known_failure }, [`known until ${end}: ${asLogText(name)}`]);
      return exitCodes.ok;
    }),
});

const end = command<OfTest>({
  command: 'end <test>',
  describe: 'End the known failure of a test',
  flags: ofTest,
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const path = await placeOf(client, flags);
      await unwrap(client.DELETE('/v1/projects/{id}/tests/{test}/known-failure', { params: { path } }));
      terminal.result({ test: { id: path.test }, known_failure: null }, [`no longer known: ${path.test}`]);
      return exitCodes.ok;
    }),
});

export const knownCommand = group('known', 'Set, end and list known failures', [set, end, list]);

function ofTest<T>(parser: Argv<T>): Argv<T & OfTest> {
  return projectFlag(serverFlags(parser)).positional('test', {
    type: 'string',
    demandOption: true,
    describe: 'The id of the test, or its whole name with --project',
  });
}

/** A name needs its project; an id does not. @throws CliError */
async function placeOf(client: Client, flags: OfTest): Promise<{ id: string; test: string }> {
  const { test } = flags;
  if (isId('test', test)) {
    const { data } = await unwrap(client.GET('/v1/tests/{test}', { params: { path: { test } } }));
    return { id: data.project_id, test };
  }
  if (test.trim() === '') failWith('usage', 'the test has no name');
  const id = await projectId(client, wantedProject(flags));
  return { id, test: testIdOf(id, test) };
}
