/**
 * What the routes are made of: the stores, and what several nouns use. A file of routes opens the queries and commands
 * that it alone needs.
 */
import { records } from '../../projections/records/records.js';
import type { Pasts } from '../as-of/past.js';
import type { Audit } from '../audit/audit.js';
import type { Admission } from '../admission/admission.js';
import type { Artifacts } from '../commands/artifacts.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { serializeByStream } from '../commands/serialize-by-stream.js';
import { openTitles } from '../queries/titles.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { KeyUse } from '../keys/key-use.js';
import type { Contents } from '../ports/contents.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { ViewReader } from '../ports/views.js';
import type { FreshnessOf } from '../projecting/freshness.js';
import { openActorNames } from '../queries/actor-names.js';
import { comparisonCaches, openComparisons, type ComparisonCaches } from '../queries/comparisons.js';
import { openFailureFacts } from '../queries/failure-facts.js';
import { openTeamViews } from '../queries/team-views.js';
import { openTestQueries } from '../queries/tests/test-queries.js';
import type { SealedClients } from '../people/sealed-clients.js';
import type { Sharing } from '../sharing/sharing.js';
import type { BuildKeys } from '../trusts/build-keys.js';
import type { Redacting } from '../redaction/redacting.js';
import type { MayGive } from '../redaction/unmasked-files.js';
import type { SecretKeys } from '../secret-key/secret-keys.js';
import { showingResults } from './surface-b/runs/result-records.js';

export type Opened = {
  log: EventLog;
  /** The same log, with the events as they are stored. */
  storedLog: EventLog;
  commands: CommandHandler;
  views: ViewReader;
  /** The views of the history. */
  historyViews: ViewReader;
  /** Both read models, as they were. */
  pasts: Pasts;
  freshness: FreshnessOf;
  state: State;
  contents: Contents;
  masks: Redacting['masks'];
  mayGive: MayGive;
  deliveries: Deliveries;
  artifacts: Artifacts;
  admission: Admission;
  apiKeys: ApiKeys;
  builds: Pick<BuildKeys, 'end'>;
  sharing: Sharing;
  audit: Pick<Audit, 'tell'>;
  keyUse: KeyUse;
  /** The name of a person, also of a forgotten one. */
  personName: (person: string) => Promise<string>;
  /** Where somebody acted from, of what is stored of it. */
  clientIn: SealedClients['open'];
  secretKeys: SecretKeys;
  /** Address ranges (CIDR) that webhooks may be sent to although they are not public. */
  webhookAllow: readonly string[];
  webhookHistoryMs: number;
  /** The address of this server that its operator has set; null without one. */
  publicUrl: string | null;
  /** What comparisons keep of now and of all pasts, in one bound. */
  compared?: ComparisonCaches;
  /** Whose read models these are (`keyOfPast`); none for those of now. */
  past?: string;
};

/** The same of other read models. What is shown is decided by them; everything else is as it is now. */
export function sourcesAt(sources: Sources, past: string, views: ViewReader): Sources {
  return openSources({ ...sources, past, views, historyViews: views });
}

export type Sources = ReturnType<typeof openSources>;

export function openSources({ views: reader, ...opened }: Opened) {
  const { commands, historyViews, admission, personName, contents, compared = comparisonCaches() } = opened;
  const views = openTeamViews(reader, records, contents);
  const titles = openTitles(contents);
  const actors = openActorNames(commands, personName);
  return {
    ...opened,
    views,
    titles,
    /** The command handler whose commands on one stream wait for each other. */
    inTurn: serializeByStream(commands),
    actors,
    tests: openTestQueries({ commands, actors, results: views }, historyViews),
    compared,
    comparisons: openComparisons(historyViews, admission, compared, opened.past),
    showResults: showingResults(openFailureFacts(historyViews, titles)),
  };
}
