/** Child processes that answer requests: the reference and the load have a process each, as in real life. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Child<Request, Answer> = {
  /** One at a time. @throws Error what the child failed with, or that it has ended. */
  ask(request: Request): Promise<Answer>;
  stop(): Promise<void>;
};

type Told<Answer> = { answer: Answer } | { failed: string };

/** Starts one of the bench's own modules. */
export function startChild<Request extends object, Answer>(module: string): Child<Request, Answer> {
  const child = endWithUs(fork(fileURLToPath(new URL(module, import.meta.url))));
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error(`${module} has ended`));
        child.once('exit', ended);
        child.once('message', (told: Told<Answer>) => {
          child.off('exit', ended);
          if ('failed' in told) reject(new Error(`${module}: ${told.failed}`));
          else resolve(told.answer);
        });
        child.send(request);
      }),
    async stop() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** The child's end. */
export function answerRequests<Request, Answer>(answer: (request: Request) => Promise<Answer>): void {
  const tell = (told: Told<Answer>) => process.send!(told);
  process.on('message', (request) => {
    answer(request as Request).then(
      (answer) => tell({ answer }),
      (error: Error) => tell({ failed: error.stack ?? error.message }),
    );
  });
  process.on('disconnect', () => process.exit());
}

/** A bench that is interrupted must not leave a server behind: it would take the next one's processor. */
export function endWithUs(child: ChildProcess): ChildProcess {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}
