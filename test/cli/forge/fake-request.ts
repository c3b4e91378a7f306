/** A request to the stand-in forge, and who its writers are. */

export type Asked = {
  method: string;
  pathname: string;
  searchParams: URLSearchParams;
  content: any;
  isGitLab: boolean;
  /** The address of the forge. */
  url: string;
};

/** Null where the request is for something else. */
export type Answered = { status: number; body: unknown } | null;

export const OURS = 'testledger[bot]';

export function idOf(author: string): number {
  return author === OURS ? 7 : 8;
}
