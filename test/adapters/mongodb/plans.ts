/** The server's work for the calls of an adapter, from its own profiler: the plan of each command. */
import { MongoClient } from 'mongodb';

export type Plan = { namespace: string; command: string; plan: string };

/** The commands, with their plans, that reached the database of the URL during `work`. */
export async function plansOf(url: string, work: () => Promise<unknown>): Promise<Plan[]> {
  const client = new MongoClient(url);
  try {
    const database = client.db();
    await database.command({ profile: 2, slowms: 0 });
    await work();
    await database.command({ profile: 0 });
    const seen = await database
      .collection('system.profile')
      .find({ planSummary: { $exists: true } })
      .toArray();
    return seen.map(({ ns, op, planSummary, hasSortStage, command }) => ({
      namespace: String(ns),
      command: `${String(op)} ${JSON.stringify(command)}`,
      plan: `${String(planSummary)}${hasSortStage === true ? ', SORT' : ''}`,
    }));
  } finally {
    await client.close();
  }
}

/** The commands that read a whole collection, or sorted something that no index had in order. */
export function slow(plans: readonly Plan[]): Plan[] {
  return plans.filter(
    ({ plan, namespace }) => /COLLSCAN|SORT(?!_MERGE)/.test(plan) && !namespace.endsWith('.system.profile'),
  );
}
