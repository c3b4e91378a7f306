/** What the gate says of a run, by its comparison and the settings that hold now. */
import type { Compared } from '../../src/domain/comparison/verdict.js';
import type { DocumentRef, ReadableDocuments } from '../../src/domain/projection.js';
import {
  factsOf,
  judgeGate,
  type GateDecision,
  type GateSettings,
} from '../../src/domain/gate/judge-gate.js';
import { gateOf } from '../../src/domain/gate/settings.js';
import { reportOf } from '../../src/domain/runs/unread-reports.js';
import { teamSettingsDocuments } from '../team-settings.js';
import { isIncomplete, projectSettingsDocuments, type RunSummaryDocument } from './run-summary-documents.js';

type Ids = { project_id: string; team_id: string };

/** What `gateDecision` reads. */
export function gateRefs({ project_id, team_id }: Ids): DocumentRef[] {
  return [projectSettingsDocuments.at(project_id), teamSettingsDocuments.at(team_id)];
}

/** Those that hold now. */
export function gateSettings(documents: ReadableDocuments, { project_id, team_id }: Ids): GateSettings {
  return gateOf(
    documents.get(projectSettingsDocuments, project_id)?.gate,
    documents.get(teamSettingsDocuments, team_id)?.gate,
  );
}

export function gateDecision(
  documents: ReadableDocuments,
  summary: Ids & Pick<RunSummaryDocument, 'shards' | 'unread' | 'idle'>,
  compared: Omit<Compared, 'removed_files'>,
): GateDecision {
  return decidedBy(gateSettings(documents, summary), summary, compared);
}

export function decidedBy(
  settings: GateSettings,
  summary: Pick<RunSummaryDocument, 'shards' | 'unread' | 'idle'>,
  compared: Omit<Compared, 'removed_files'>,
): GateDecision {
  const facts = factsOf(compared, {
    empty: compared.tests === 0,
    incomplete: isIncomplete(summary),
    report_failed: reportOf(summary.unread).failures_unread > 0,
  });
  return { ...judgeGate(settings, facts), settings };
}
