/** Marks all tests of a cause as known, and ends that: by a known failure of each. */
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { EventData } from '../../domain/events.js';
import { knownFailure, knownFailureStream } from '../../domain/known-failure.js';
import type { CommandContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import { setKnownFailure } from '../known-failures.js';
import { checkProjectTakesWrites } from '../projects.js';

const AT_ONCE = 32;

/**
 * A test that is known for another reason is known for this one from then on. If it ends half-way, the same call again marks the
 * rest. @throws as `setKnownFailure`
 */
export async function setKnownThrough(
  commands: CommandHandler,
  context: CommandContext,
  tests: readonly { id: string; name: string }[],
  data: Omit<EventData['KnownFailureSet'], 'test_id' | 'test_name'>,
): Promise<void> {
  await forEachConcurrent(tests, AT_ONCE, async ({ id: test_id, name: test_name }) => {
    await setKnownFailure(commands, context, { test_id, test_name, ...data });
  });
}

/** Leaves the known failures that somebody set for one of the tests alone. @throws AppError `project_inactive`, `write_conflict` */
export async function endKnownThrough(
  commands: CommandHandler,
  context: CommandContext,
  { tests, project_id, group }: { tests: readonly string[]; project_id: string; group: string },
): Promise<void> {
  const check = () => checkProjectTakesWrites(commands, context, project_id);
  const command = { type: 'EndKnownThrough', group } as const;
  await forEachConcurrent(tests, AT_ONCE, async (test) => {
    await commands.execute(knownFailure, knownFailureStream(context.team, test), context, command, { check });
  });
}
