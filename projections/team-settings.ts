/** The settings of each team. Both read models have them: one shows them, and the other decides by them. */
import { collection } from '../src/domain/projection.js';
import type { OwnGate } from '../src/domain/gate/settings.js';
import { projection } from './projection.js';

/** By team id. A team that has set nothing has no document. */
export type TeamSettingsDocument = { team_id: string; gate: OwnGate };

export const teamSettingsDocuments = collection<TeamSettingsDocument>({
  name: 'team_settings',
  ids: 'team',
  indexes: [],
});

export const teamSettings = projection({
  name: 'team_settings',
  version: 1,
  collections: [teamSettingsDocuments],
  on: {
    TeamSettingsChanged: {
      touches: ({ meta }) => [teamSettingsDocuments.at(meta.team_id)],
      apply(documents, { data: { gate }, meta: { team_id } }) {
        documents.put(teamSettingsDocuments, team_id, { team_id, gate });
      },
    },
  },
});
