/** The checkpoints of a build. Partitions with the same position and epoch share one, so a build mostly has just one. */
import { START, type Position } from '../../domain/event.js';
import { ALL_PARTITIONS, union, without, type Partition, type Partitions } from '../../domain/partition.js';
import type { Build, Checkpoint, Commit } from '../../ports/views.js';

export type CheckpointMove = Pick<Commit, 'epoch' | 'partitions' | 'from' | 'to'>;

/** A wait for a position of the live build. Without a partition, for the lowest one of all. */
export type PositionWait = {
  projection: string;
  partition: Partition | undefined;
  atLeast: Position;
  timeoutMs: number;
};

export const FIRST_CHECKPOINT: Checkpoint = { partitions: ALL_PARTITIONS, position: START, epoch: 0 };

/** The checkpoints after a commit. Null if it is fenced. */
export function checkpointsAfter(
  checkpoints: readonly Checkpoint[],
  { epoch, partitions = ALL_PARTITIONS, from, to }: CheckpointMove,
): Checkpoint[] | null {
  const kept: Checkpoint[] = [];
  let left = partitions;
  for (const each of checkpoints) {
    const staying = without(each.partitions, partitions);
    if (staying !== each.partitions && (each.position !== from || each.epoch > epoch)) return null;
    left = without(left, each.partitions);
    if (staying !== '') kept.push({ ...each, partitions: staying });
  }
  if (left !== '') return null;
  const level = kept.findIndex((each) => each.position === to && each.epoch === epoch);
  if (level < 0) return [...kept, { partitions, position: to, epoch }];
  return kept.with(level, { partitions: union(kept[level]!.partitions, partitions), position: to, epoch });
}

/** The position of a partition, or the lowest one of all; `START` for a build without checkpoints. */
export function positionIn(checkpoints: readonly Checkpoint[], partition?: Partition): Position {
  const own =
    partition === undefined
      ? checkpoints
      : checkpoints.filter(({ partitions }) => partitions.includes(partition));
  return (
    own.reduce<Position | null>(
      (lowest, { position }) => (lowest === null || position < lowest ? position : lowest),
      null,
    ) ?? START
  );
}

/** The highest epoch that has committed to any partition. */
export function epochIn(checkpoints: readonly Checkpoint[]): number {
  return Math.max(0, ...checkpoints.map(({ epoch }) => epoch));
}

export function withPosition(build: Omit<Build, 'position' | 'epoch'>): Build {
  const { checkpoints } = build;
  return { ...build, position: positionIn(checkpoints), epoch: epochIn(checkpoints) };
}

/** True if a partition of the first build has not reached its position in the second one. */
export function isBehind(
  build: readonly Checkpoint[],
  other: readonly Checkpoint[],
  mayBeBehind: Partitions = '',
): boolean {
  return without(ALL_PARTITIONS, mayBeBehind)
    .split('')
    .some((partition) => positionIn(build, partition) < positionIn(other, partition));
}
