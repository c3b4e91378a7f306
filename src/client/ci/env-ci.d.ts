declare module 'env-ci' {
  /** The fields that are used. A service sets those that it knows; undefined or an empty text stands for unknown. */
  export type EnvCi = {
    isCi: boolean;
    service?: string;
    commit?: string;
    branch?: string;
    build?: string;
    buildUrl?: string;
    job?: string;
    jobUrl?: string;
    pr?: string | number;
    isPr?: boolean;
    prBranch?: string;
    slug?: string;
    root?: string;
  };
  // oxlint-disable-next-line import/no-default-export -- the package has no other
  export default function envCi(options?: { env?: NodeJS.ProcessEnv; cwd?: string }): EnvCi;
}
