/** The steps of a test as a tree that metadata have room for, with the way to the step that failed. */
import { beginningOf, cutText } from './values/bounded-text.js';

export type Step = {
  name: string;
  /** Missing where it passed. */
  status?: 'failed' | 'skipped';
  duration_ms?: number;
  error?: string;
  steps?: Step[];
};

export type EndOfStep = {
  /** Where the whole name is known only now. */
  name?: string;
  status: 'passed' | 'failed' | 'skipped';
  durationMs?: number | null;
  error?: string | null;
};

export type StepsReader = {
  open(name: string): void;
  /** Ends the step that was opened last. */
  close(end: EndOfStep): void;
  /** The tree, for metadata: nothing where there was no step. */
  fields(): { steps?: Step[]; steps_left_out?: number };
};

/** Each level takes two of the levels that metadata may have. */
const LEVELS = 14;
const NAME = 200;
const ERROR = 300;
/** Characters of the whole tree: a test of 100,000 steps must need no more memory than one of ten. */
const ROOM = 8_000;
/** Steps that failed have more: those that passed before them must not hide them. */
const ROOM_FOR_FAILED = 2 * ROOM;
/** What one step takes beside its texts. */
const EACH = 60;

type Open = { name: string; steps: Step[]; size: number; count: number };

export function stepsReader(): StepsReader {
  const root = opened('');
  const open: Open[] = [root];
  let leftOut = 0;

  return {
    open: (name) => void open.push(opened(name)),
    close(end) {
      const step = open.length > 1 ? open.pop() : undefined;
      if (step === undefined) return;
      const around = open.at(-1)!;
      const done = stepOf(step, end);
      const size = step.size + EACH + done.name.length + (done.error?.length ?? 0);
      const room = end.status === 'failed' ? ROOM_FOR_FAILED : ROOM;
      const taken = open.reduce((sum, each) => sum + each.size, 0);
      if (open.length > LEVELS || taken + size > room) {
        // Those inside of it go with it.
        leftOut += step.count + 1;
        return;
      }
      around.size += size;
      around.count += step.count + 1;
      around.steps.push(done);
    },
    fields: () => ({
      ...(root.steps.length > 0 && { steps: root.steps }),
      ...(leftOut > 0 && { steps_left_out: leftOut }),
    }),
  };
}

function opened(name: string): Open {
  return { name: nameOf(name), steps: [], size: 0, count: 0 };
}

function stepOf(open: Open, { name, status, durationMs = null, error = null }: EndOfStep): Step {
  const { steps } = open;
  const text = status === 'failed' ? (error?.trim() ?? '') : '';
  return {
    name: name === undefined ? open.name : nameOf(name),
    ...(status !== 'passed' && { status }),
    ...(durationMs !== null && durationMs >= 1 && { duration_ms: Math.round(durationMs) }),
    ...(text !== '' && { error: cutText(text, ERROR) }),
    ...(steps.length > 0 && { steps }),
  };
}

function nameOf(name: string): string {
  return beginningOf(name.trim(), NAME);
}
