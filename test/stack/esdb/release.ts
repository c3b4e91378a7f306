/** The release of the real server that the stand-in behaves like, where the recorded releases differ. */
export type Like = '23.10' | '24.2' | '26.0';

export type Differences = {
  /** The result in the error of a read from a position that no event has. */
  readFromNoEvent: string;
  /** A subscription from such a position is confirmed before it fails. */
  confirmsNoEvent: boolean;
  /** A subscription from a position past the end waits until the log is there. Else it gets the next events. */
  waitsForPosition: boolean;
  /** A live subscriber that falls behind catches up. Else it is dropped. */
  catchesUpSlow: boolean;
  /** The first window of a catch-up begins with the event at the start position. Else with the one after it. */
  windowFromOwn: boolean;
  /** A subscription to a stream without visible events is caught up at once. Else after its first event. */
  caughtUpWithoutEvents: boolean;
  /** The end of a catch-up has a checkpoint too, though its last window is not full. */
  checkpointAtEnd: boolean;
  /** Errors of reads say the reason behind `>>`. */
  saysReason: boolean;
  /** The most bytes of data in a call. */
  mostAppendBytes: number;
};

const MIB = 1024 * 1024;

export const differences: Record<Like, Differences> = {
  '23.10': {
    readFromNoEvent: 'ReadAllResult: Error',
    confirmsNoEvent: false,
    waitsForPosition: false,
    catchesUpSlow: false,
    windowFromOwn: false,
    caughtUpWithoutEvents: false,
    checkpointAtEnd: false,
    saysReason: false,
    mostAppendBytes: MIB,
  },
  '24.2': {
    readFromNoEvent: 'ReadAllResult: InvalidPosition',
    confirmsNoEvent: true,
    waitsForPosition: true,
    catchesUpSlow: true,
    windowFromOwn: true,
    caughtUpWithoutEvents: true,
    checkpointAtEnd: false,
    saysReason: false,
    mostAppendBytes: MIB,
  },
  '26.0': {
    readFromNoEvent: 'ReadAllResult: InvalidPosition',
    confirmsNoEvent: true,
    waitsForPosition: true,
    catchesUpSlow: true,
    windowFromOwn: true,
    caughtUpWithoutEvents: true,
    checkpointAtEnd: true,
    saysReason: true,
    mostAppendBytes: 256 * MIB,
  },
};
