/** The deciders by the category of the streams that they decide on. */
import { artifactParent } from '../../src/domain/artifact/artifact-parent.js';
import type { Decider } from '../../src/domain/decider.js';
import type { EventType } from '../../src/domain/events.js';
import { knownFailure } from '../../src/domain/known-failure.js';
import { cause } from '../../src/domain/causes/cause.js';
import { project } from '../../src/domain/project.js';
import { result } from '../../src/domain/results/result.js';
import { run } from '../../src/domain/runs/run.js';
import { team } from '../../src/domain/teams/team.js';
import { webhook } from '../../src/domain/messages/webhook.js';

export type AnyDecider = Decider<unknown, { type: string }, EventType>;

export const deciders = {
  team,
  project,
  run,
  result,
  artifact: artifactParent,
  webhook,
  known: knownFailure,
  cause,
} as unknown as Record<string, AnyDecider>;
