/** The one table of exit codes. `docs/command-line.md` shows it; scripts branch on the numbers, so they never change. */
export const exitCodes = {
  ok: 0,
  /** The command ran, and the thing that it checked or made is bad: the gate failed, a copy differs, a view is stuck. */
  failed: 1,
  /** The command line or the configuration is wrong. Nothing was done. */
  usage: 2,
  /** A server cannot be reached, failed, or did not take an upload. The same command may succeed later. */
  unavailable: 3,
  /** The server refused the request: a key without the right, a thing that does not exist. A repeat is refused too. */
  refused: 4,
  /** A fault in testledger itself. */
  internal: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
