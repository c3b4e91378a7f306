/** `testledger projects`: the projects of the team. */
import type { Argv } from 'yargs';
import { unwrap, type Client } from '../../../client/index.js';
import { allProjects, projectId, withClient, type Project } from '../../api.js';
import { command, group, type SharedFlags } from '../../command.js';
import { exitCodes, type ExitCode } from '../../exit-codes.js';
import { serverFlags, type ServerFlags } from '../../server.js';
import { table } from '../../table.js';
import type { Terminal } from '../../terminal.js';

const list = command<ServerFlags>({
  command: 'list',
  describe: 'List the projects, oldest first',
  flags: serverFlags,
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const projects = await allProjects(client);
      terminal.result({ projects }, table(projects.map(rowOf)));
      return exitCodes.ok;
    }),
});

type Description = { description: string | undefined; 'default-branch': string | undefined };

const create = command<ServerFlags & Description & { name: string }>({
  command: 'create <name>',
  describe: 'Make a project',
  flags: (parser) => description(named(serverFlags(parser), 'The name of the new project')),
  run: ({ name, description, defaultBranch, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const body = { name, ...given({ description, default_branch: defaultBranch }) };
      return show(terminal, await unwrap(client.POST('/v1/projects', { body })));
    }),
});

const rename = command<ServerFlags & { project: string; name: string }>({
  command: 'rename <project> <name>',
  describe: 'Give a project another name',
  flags: (parser) => named(ofProject(serverFlags(parser)), 'The new name'),
  run: ({ project, name, ...flags }, terminal) =>
    withClient(flags, async (client) => show(terminal, await change(client, project, { name }))),
});

const deactivate = statusCommand('deactivate', 'Refuse new runs and results of a project', 'inactive');
const activate = statusCommand('activate', 'Take runs and results of a project again', 'active');

export const projectsCommand = group('projects', 'The projects of the team', [
  list,
  create,
  rename,
  deactivate,
  activate,
]);

function statusCommand(name: string, describe: string, status: Project['status']) {
  return command<ServerFlags & { project: string }>({
    command: `${name} <project>`,
    describe,
    flags: (parser) => ofProject(serverFlags(parser)),
    run: ({ project, ...flags }, terminal) =>
      withClient(flags, async (client) => show(terminal, await change(client, project, { status }))),
  });
}

async function change(client: Client, project: string, body: object): Promise<{ data: Project }> {
  const id = await projectId(client, project);
  return unwrap(client.PATCH('/v1/projects/{id}', { params: { path: { id } }, body }));
}

function show(terminal: Terminal, { data }: { data: Project }): ExitCode {
  terminal.result({ project: data }, table([rowOf(data)]));
  return exitCodes.ok;
}

function rowOf({ id, name, status }: Project): string[] {
  return [id, status, name];
}

function ofProject<T>(parser: Argv<T>) {
  return parser.positional('project', {
    type: 'string',
    demandOption: true,
    describe: 'The id or the name of the project',
  });
}

function named<T>(parser: Argv<T>, describe: string) {
  return parser.positional('name', { type: 'string', demandOption: true, describe });
}

function description<T extends SharedFlags>(parser: Argv<T>) {
  return parser
    .option('description', { type: 'string', describe: 'A text for people' })
    .option('default-branch', { type: 'string', describe: 'The branch that others are compared with' });
}

/** Without the fields that are undefined: JSON would leave them out as well, but types would not. */
function given<T extends object>(fields: T) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
