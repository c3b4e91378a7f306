/**
 * The tests that were running when the time was over. Go prints them into the output of whichever test spoke last, which may
 * have passed.
 */
export type HungTests = {
  add(output: string): void;
  readonly message: string;
  readonly names: ReadonlySet<string>;
};

const TIMED_OUT = /^panic: test timed out after \S+/;
const RUNNING = /^\t\t(\S+) \(\S+\)\s*$/;
const MOST = 1_000;

export function hungTests(): HungTests {
  const names = new Set<string>();
  let isListed = false;
  const hung = {
    names,
    message: '',
    add(output: string): void {
      const [header] = TIMED_OUT.exec(output) ?? [];
      if (header !== undefined) {
        hung.message = `${header}.`;
        isListed = true;
      } else if (isListed) {
        const [, name] = RUNNING.exec(output) ?? [];
        if (name !== undefined && names.size < MOST) names.add(name);
        isListed = name !== undefined || output.trim() === 'running tests:';
      }
    },
  };
  return hung;
}
