/** A second version of the program: a copy of `dist` whose projections have higher versions and fold one more field. */
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type NextVersion = {
  main: string;
  remove(): Promise<void>;
};

/** The field that only the next version folds, into the documents of projects. */
export const NEXT_FIELD = 'folded_by_next';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const changes = [
  { file: 'projections/records/projects.js', from: /version: (\d+),/, to: raised },
  {
    file: 'projections/records/projects.js',
    from: /(?<=\.\.\.present, \.\.\.record)/,
    to: () => `, ${NEXT_FIELD}: true`,
  },
  { file: 'projections/outbox/messages.js', from: /version: (\d+),/, to: raised },
  // The bundled threads have the projections of this version.
  { file: 'src/folders.js', from: /(?<=['"])\.\.\/program\/(?=['"])/, to: () => './' },
];

/** Makes it in a folder of its own. @throws Error where a file does not have the text that is to be changed. */
export async function makeNextVersion(): Promise<NextVersion> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'testledger-next-')));
  for (const part of ['src', 'projections', 'validators', 'clients', 'dashboard', 'viewer', 'trace-viewer']) {
    await cp(join(root, 'dist', part), join(folder, 'dist', part), { recursive: true });
  }
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  for (const shared of ['node_modules', 'schemas']) await symlink(join(root, shared), join(folder, shared));
  for (const { file, from, to } of changes) {
    const path = join(folder, 'dist', file);
    const text = await readFile(path, 'utf8');
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${file} has no ${from}`);
    await writeFile(path, changed);
  }
  return {
    main: join(folder, 'dist/src/main.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function raised(_: string, version: string): string {
  return `version: ${Number(version) + 1},`;
}
