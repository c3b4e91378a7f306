/** Child processes that answer requests. The reference and the load have a process each, as they have in production. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeAt, type Place } from './pinning.js';

export type Child<Request, Answer> = {
  /** Sends one request at a time. @throws Error the fault of the child, or that it has ended. */
  ask(request: Request): Promise<Answer>;
  stop(): Promise<void>;
};

type Reply<Answer> = { answer: Answer } | { failed: string };

/** Starts one of the bench's own modules. `module`: its path from the bench's folder. */
export function startChild<Request extends object, Answer>(
  module: string,
  place: Place = 'measured',
): Child<Request, Answer> {
  const { command, before } = nodeAt(place);
  const options = { execPath: command, execArgv: [...before, ...process.execArgv] };
  const child = endWithUs(fork(fileURLToPath(new URL(`../${module}`, import.meta.url)), options));
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error(`${module} has ended`));
        child.once('exit', ended);
        child.once('message', (reply: Reply<Answer>) => {
          child.off('exit', ended);
          if ('failed' in reply) reject(new Error(`${module}: ${reply.failed}`));
          else resolve(reply.answer);
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

/** The end in the child process. */
export function answerRequests<Request, Answer>(answer: (request: Request) => Promise<Answer>): void {
  const send = (reply: Reply<Answer>) => process.send!(reply);
  process.on('message', (request) => {
    answer(request as Request).then(
      (answer) => send({ answer }),
      (error: Error) => send({ failed: error.stack ?? error.message }),
    );
  });
  process.on('disconnect', () => process.exit());
}

/** An interrupted bench must not leave a server behind, which would take processor time from the next bench. */
export function endWithUs(child: ChildProcess): ChildProcess {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}
