/**
 * The commands as the help lists them. The command line in one file has them here, so that its help and its version need
 * not load all commands; the build puts them in (`src/build-clients.mjs`).
 */
export type Described = { command: string; describe: string };

export const described = null as readonly Described[] | null;
