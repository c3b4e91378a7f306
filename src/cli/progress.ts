/** How far a long command is: a bar where a person looks at stderr, otherwise a line from time to time. */
import { Presets, SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.js';

export type Progress = {
  /** `done` of `total`, in any unit that grows; `text` says it for people. */
  at(done: number, total: number, text: string): void;
  end(): void;
};

const LINE_EVERY_MS = 5_000;

export function openProgress(terminal: Terminal, label: string): Progress {
  return terminal.isInteractive ? bar(label) : lines(terminal, label);
}

function bar(label: string): Progress {
  const drawn = new SingleBar(
    { format: `${label} {bar} {percentage}% {text}`, hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  );
  let started = false;
  return {
    at(done, total, text) {
      if (!started) drawn.start(total, 0, { text });
      started = true;
      drawn.setTotal(total);
      drawn.update(done, { text });
    },
    end: () => drawn.stop(),
  };
}

function lines(terminal: Terminal, label: string): Progress {
  let writtenAt = performance.now();
  return {
    at(_done, _total, text) {
      if (performance.now() - writtenAt < LINE_EVERY_MS) return;
      writtenAt = performance.now();
      terminal.note(`${label}: ${text}`);
    },
    end: () => undefined,
  };
}
