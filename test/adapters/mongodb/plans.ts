/** What the server did for the calls of an adapter, by its own profiler: which plan each of its commands had. */
import { MongoClient } from 'mongodb';

export type Plan = { namespace: string; command: string; plan: string };

/** The commands, with their plans, that reached the database of the url while `work` was done. */
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

/** Those that read a whole collection, or sorted what no index had in order. */
export function slow(plans: readonly Plan[]): Plan[] {
  return plans.filter(
    ({ plan, namespace }) => /COLLSCAN|SORT(?!_MERGE)/.test(plan) && !namespace.endsWith('.system.profile'),
  );
}
