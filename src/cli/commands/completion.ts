/** `testledger completion`: the script with which a shell completes the command line. */
import { command } from '../command.js';
import { exitCodes } from '../exit-codes.js';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export const completionCommand = command<{ shell: string }>({
  command: 'completion <shell>',
  describe: 'Print the completion script of a shell',
  flags: (parser) =>
    parser.positional('shell', {
      type: 'string',
      choices: shells,
      demandOption: true,
      describe: 'For example: testledger completion bash >> ~/.bashrc',
    }),
  run: ({ shell }, terminal) => {
    const script = scripts[shell as Shell];
    terminal.result({ shell, script }, [script.trim()]);
    return Promise.resolve(exitCodes.ok);
  },
});

/**
 * All three ask the program itself, by the flag `--get-yargs-completions` of the parser, so that they never lag behind it.
 * The parser forms its answers by SHELL, which names the shell of the login: that may be another one. Its own scripts
 * trust it, and need a bash that macOS does not have.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `
_testledger_completions() {
  local answers
  answers=$(SHELL=bash testledger --get-yargs-completions "\${COMP_WORDS[@]:0:$((COMP_CWORD + 1))}" 2>/dev/null)
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$answers" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _testledger_completions testledger
`,
  zsh: `
#compdef testledger
_testledger_completions() {
  local answers
  answers=(\${(f)"$(SHELL=zsh testledger --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)"})
  if (( \${#answers} )); then _describe testledger answers; else _files; fi
}
compdef _testledger_completions testledger
`,
  fish: `
function __testledger_completions
  SHELL=fish testledger --get-yargs-completions (commandline -opc) (commandline -ct) 2>/dev/null
end
complete -c testledger -a '(__testledger_completions)'
`,
};
