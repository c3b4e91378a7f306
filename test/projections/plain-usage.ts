/** How much a project has, counted in its whole history. */
import { having, type Plain } from './plain-history.js';

/** Null where the project has nothing yet. */
export function usageOf(history: readonly Plain[], project_id: string): object | null {
  const own = having(history, 'project_id', project_id);
  const of = (type: string) => own.filter((each) => each.type === type);
  const sizes = new Map(of('ArtifactCreated').map(({ data }) => [data['artifact_id'], data['size_bytes']]));
  const confirmed = of('ArtifactConfirmed');
  const gone = of('ArtifactDeleted').filter(({ data }) => data['confirmed'] === true);
  const bytes = (all: readonly Plain[]) =>
    all.reduce((sum, { data }) => sum + Number(sizes.get(data['artifact_id'])), 0);
  const whole = of('RunCreated').filter(({ data }) => Number(data['items']) > 0);
  const counted = [...whole, ...of('ItemsSubmitted'), ...of('ResultCreated'), ...confirmed, ...gone];
  if (counted.length === 0) return null;
  return {
    team_id: counted[0]!.team,
    project_id,
    submitted: of('ResultSubmitted').length,
    single: of('ResultCreated').length,
    artifacts: confirmed.length - gone.length,
    artifact_bytes: bytes(confirmed) - bytes(gone),
    position: counted
      .map(({ position }) => position)
      .toSorted()
      .at(-1),
  };
}
