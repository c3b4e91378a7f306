/** Runs the shell blocks of a page one after the other in one bash, in a folder of its own, as a reader does. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cliMain, ended, type Ended } from '../kit/command.js';
import { junit } from '../cli/command-line.js';
import type { Env } from '../kit/environment.js';
import { repository } from './pages.js';

export type Session = {
  folder: string;
  env: Env;
  blocks: readonly string[];
  /** Files of the reader: their reports, their screenshot, the programs that the page shows. */
  files: Readonly<Record<string, string>>;
};

export async function runSession({ folder, env, blocks, files }: Session): Promise<Ended> {
  await prepare(folder, files);
  const tools = join(folder, 'tools');
  return ended('bash', ['--noprofile', '--norc', '-c', [prelude, ...blocks.map(checked)].join('\n')], {
    cwd: folder,
    env: { ...env, TOOLS: tools, PATH: `${tools}:${process.env['PATH']}` },
  });
}

/**
 * `curl` fails for a refusal, so that no block passes with a 401, and notes each status. `npm` stands for the scripts of
 * a clone that is built, and for the tests of a project, which write a report.
 */
const tools: Readonly<Record<string, string>> = {
  testledger: `exec "${process.execPath}" "${cliMain}" "$@"`,
  npm: `case "$*" in
  "run -s testledger -- "*) shift 4; exec testledger "$@" ;;
  "run testledger -- "*) shift 3; exec testledger "$@" ;;
  test) cp tools/report.xml reports/unit.xml ;;
  *) echo "this session has no: npm $*" >&2; exit 99 ;;
esac`,
  curl: `headers=$(mktemp)
case "$1" in -f*) ;; *) set -- --fail-with-body "$@" ;; esac
PATH=\${PATH#*:} command curl -D "$headers" "$@"; code=$?
sed -n 's/^HTTP[^ ]* \\([0-9]*\\).*/\\1/p' "$headers" | tail -1 >> "$TOOLS/statuses"
exit $code`,
};

const prelude = `
set -e -o pipefail
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
expect_same() { [ "$1" = "$2" ] || { echo "the page says $1, and it was $2: $3" >&2; exit 98; }; }
# A live command prints what happens: so something happens until it has printed, and then comes Ctrl-C.
interrupt_when_it_prints() {
  for n in $(seq 600); do
    [ -s "$TOOLS/live" ] && break
    kill -0 "$1" || { echo "it ended by itself: $2" >&2; exit 97; }
    curl -sS -o "$TOOLS/ignored" -H "Authorization: $OWNER_KEY" -H 'Content-Type: application/json' \\
      -d "{\\"name\\":\\"live $n $RANDOM\\"}" "$SERVER/v1/projects"
    sleep 0.1
  done
  kill -INT -- "-$1"
  wait "$1" || true
  [ -s "$TOOLS/live" ] || { echo "it printed nothing: $2" >&2; exit 96; }
}
`;

/** Holds a command to the comment behind it: `# 201`, `# exits with 1`, `# until Ctrl-C`. */
function checked(block: string): string {
  return block
    .split('\n')
    .map((line) => {
      const [, command, comment] = /^(.*?\S)\s+# (.*)$/u.exec(line) ?? [];
      if (command === undefined || comment === undefined) return line;
      const shown = `'${command.replaceAll("'", '’')}'`;
      const exit = /\bexits with (\d+)/u.exec(comment)?.[1];
      if (exit !== undefined)
        return `set +e; ${command}\ncode=$?; set -e; expect_same ${exit} $code ${shown}`;
      const status = /^([2-5]\d\d)\b/u.exec(comment)?.[1];
      if (status !== undefined)
        return `${command}\nexpect_same ${status} "$(tail -1 "$TOOLS/statuses")" ${shown}`;
      if (!comment.includes('until Ctrl-C')) return line;
      return `: > "$TOOLS/live"; set -m\n${command} > "$TOOLS/live" &\nset +m; interrupt_when_it_prints $! ${shown}`;
    })
    .join('\n');
}

async function prepare(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const paths = ['tools', 'reports', 'node_modules', '.config/fish/completions'];
  await Promise.all(paths.map((path) => mkdir(join(folder, path), { recursive: true })));
  const given = {
    'reports/unit.xml': junit({ 'signs in': 'passed' }),
    'screen.png': 'of a screen',
    ...files,
  };
  for (const [path, text] of Object.entries(given)) await writeFile(join(folder, path), text);
  await writeFile(join(folder, 'tools/report.xml'), junit({ 'signs in': 'passed', pays: 'passed' }));
  for (const [name, script] of Object.entries(tools)) {
    await writeFile(join(folder, 'tools', name), `#!/bin/bash\n${script}\n`);
    await chmod(join(folder, 'tools', name), 0o755);
  }
  await symlink(repository, join(folder, 'node_modules/testledger'));
  for (const name of ['standardwebhooks', '@types'])
    await symlink(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
}
