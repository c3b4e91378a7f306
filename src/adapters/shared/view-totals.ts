/**
 * Totals: how many documents of a collection have the same values in a set of fields. Commits change them by
 * differences.
 */
import type { Document, ProjectionSpec } from '../../domain/projection.js';
import { fail } from '../../errors.js';
import type { Change } from '../../ports/views.js';

export type Scalar = string | number | boolean | null;

/** `n` more (or fewer) documents of the collection have these values in these fields. Never 0. */
export type TotalDelta = {
  collection: string;
  fields: readonly string[];
  values: readonly Scalar[];
  n: number;
};

/**
 * How the changes of one commit change the declared totals.
 * @throws AppError `internal` when a counted field holds a list or an object.
 */
export function totalDeltas(spec: ProjectionSpec, changes: readonly Change[]): TotalDelta[] {
  const deltas = spec.collections.flatMap(({ name, totals = [] }) => {
    if (totals.length === 0) return [];
    const own = changes.filter(({ collection }) => collection === name);
    return own.length === 0 ? [] : totals.flatMap((fields) => deltasOf(name, fields, own));
  });
  return deltas.filter(({ n }) => n !== 0);
}

/** A field as indexes and totals see it. A missing field is null. @throws AppError `internal` */
export function scalarOf(value: unknown, field: string): Scalar {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return fail('internal', `the field ${field} is indexed or counted and must be a single value`);
}

/** An object is not, even the same one: it is a fault that `scalarOf` must see. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other && (one === null || typeof one !== 'object');
}

function deltasOf(collection: string, fields: readonly string[], changes: readonly Change[]): TotalDelta[] {
  const deltas: TotalDelta[] = [];
  const byValues = newNode();
  const count = (document: Document | null, n: number): void => {
    if (document === null) return;
    let node = byValues;
    for (const field of fields) node = nodeUnder(node, scalarOf(document[field], field));
    if (node.delta === null) {
      const values = fields.map((field) => scalarOf(document[field], field));
      deltas.push((node.delta = { collection, fields, values, n }));
    } else node.delta.n += n;
  };
  for (const { before, after } of changes) {
    // Nearly every change leaves the counted fields as they are.
    if (before !== null && after !== null && fields.every((field) => isSame(before[field], after[field])))
      continue;
    count(before, -1);
    count(after, 1);
  }
  return deltas;
}

/** A step for the value of each field, and the delta after the last. A text of all values takes three times as long. */
type Node = { under: Map<Scalar, Node>; delta: TotalDelta | null };

function newNode(): Node {
  return { under: new Map(), delta: null };
}

function nodeUnder({ under }: Node, value: Scalar): Node {
  let node = under.get(value);
  if (node === undefined) under.set(value, (node = newNode()));
  return node;
}
