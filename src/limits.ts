/**
 * The limits that the API promises, each named once; settings for speed and memory stay where they are used, and
 * `admission/kinds.ts` says how much is done at the same time. To change one, change its value here and run `npm run generate`, which writes `docs/limits.md` and the JSON Schemas that repeat
 * the number (`schemas/limits.json` names them). Raising a limit is an addition; lowering one breaks clients.
 */

type Unit = 'characters' | 'bytes' | 'levels' | 'milliseconds' | 'items';

export type Limit = { value: number; unit: Unit; sentence: string };

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const KIB = 1_024;
const MIB = 1_024 * KIB;

const table = {
  bodyBytes: {
    value: MIB,
    unit: 'bytes',
    sentence:
      'The body of a request, after decompression. It also bounds each item of a submission, and the rest of a submission without its items.',
  },
  submissionBytes: {
    value: 32 * MIB,
    unit: 'bytes',
    sentence: 'The body of a submission (`POST /v1/test-runs`), after decompression.',
  },
  headerBytes: {
    value: 16 * KIB,
    unit: 'bytes',
    sentence: 'The request line and all headers of a request.',
  },
  arrivalMs: {
    value: 60 * SECOND,
    unit: 'milliseconds',
    sentence: 'Time for a whole request to arrive. Uploads have a limit of their own.',
  },
  unreadMs: {
    value: 60 * SECOND,
    unit: 'milliseconds',
    sentence:
      'Time after which a client that takes nothing of its answer is cut off. After that time, every client must take at least 1 KiB a second.',
  },
  namedFaults: {
    value: 100,
    unit: 'items',
    sentence: 'Wrong fields, or wrong items of a submission, that one answer names.',
  },
  idempotencyKeyLength: {
    value: 255,
    unit: 'characters',
    sentence: 'An `Idempotency-Key`, in visible ASCII characters.',
  },
  idempotencyMs: {
    value: DAY,
    unit: 'milliseconds',
    sentence: 'Time for which a repeat with the same `Idempotency-Key` gets the first answer.',
  },
  readWaitMs: {
    value: 2 * SECOND,
    unit: 'milliseconds',
    sentence:
      'Time for which a GET waits to show all earlier writes. After it, `X-Read-Lag` says how far the answer is behind.',
  },
  pageSize: {
    value: 100,
    unit: 'items',
    sentence: 'Items on one page of a list (`page_size`, `per_page`).',
  },
  defaultPageSize: {
    value: 20,
    unit: 'items',
    sentence: 'Items on one page of a list when the request names no size.',
  },
  orderedGroups: {
    value: 1_000,
    unit: 'items',
    sentence:
      'Groups of failures that one answer puts in order: the new ones of a run come first among this number of its largest, `since` finds this number of groups, those that were seen last, and `state`, `owner` and `q` look among this number.',
  },
  asOfEvents: {
    value: 500_000,
    unit: 'items',
    sentence:
      'Results and other events of a project up to a moment, of which `as_of` answers: it folds them anew.',
  },
  asOfBytes: {
    value: 192 * MIB,
    unit: 'bytes',
    sentence: 'Memory for projects as of moments that were asked for last, in one process.',
  },
  searchedProjects: {
    value: 1_000,
    unit: 'items',
    sentence: 'Projects, the newest of a team, that a list looks through for words (`q`).',
  },
  searchedTests: {
    value: 1_000,
    unit: 'items',
    sentence:
      'Tests, the first by name, whose results a search by name in a run finds (`q`). Others of the same name part are not found.',
  },
  todayDays: {
    value: 30,
    unit: 'items',
    sentence: 'Days before now that the list of what needs somebody goes back.',
  },
  todayNames: {
    value: 1_000,
    unit: 'characters',
    sentence: 'The names of owners and authors to which that list is narrowed.',
  },
  statisticsDays: {
    value: 400,
    unit: 'items',
    sentence: 'Days between `from` and `to` of statistics.',
  },
  runsLookedThrough: {
    value: 1_000,
    unit: 'items',
    sentence:
      'Runs that a list looks through, the newest first, when it is filtered by `q`, `tool`, `actor` or `since`, by more than one of `commit`, `build`, `pull_request`, `branch` and `environment`, or by `build` or `environment` and `status`: the runs of the first of them.',
  },
  replayEvents: {
    value: 1_000,
    unit: 'items',
    sentence: 'Events that one request of the replay can ask for (`limit`).',
  },
  defaultReplayEvents: {
    value: 100,
    unit: 'items',
    sentence: 'Events on one page of the replay when the request names no `limit`.',
  },
  nameLeast: {
    value: 2,
    unit: 'characters',
    sentence: 'The shortest name of a project, team, key or test, and the shortest label of a run.',
  },
  nameLength: {
    value: 255,
    unit: 'characters',
    sentence: 'The name of a project, team, key or test, and the label of a run.',
  },
  descriptionLength: {
    value: 1_024,
    unit: 'characters',
    sentence: 'The description of a project.',
  },
  errorMessageLength: {
    value: 1_024,
    unit: 'characters',
    sentence:
      'The error message of a result. An item of a submission may have a longer one: the whole is then in `metadata.error.message`.',
  },
  runKeyLength: {
    value: 255,
    unit: 'characters',
    sentence: 'A `run_key`.',
  },
  branchLength: {
    value: 255,
    unit: 'characters',
    sentence:
      'The default branch of a project. In metadata, a branch, a commit or another text that is understood: a longer one is kept, but not understood.',
  },
  repoUrlLength: {
    value: 1_000,
    unit: 'characters',
    sentence: 'The address of the repository of a project.',
  },
  tags: {
    value: 20,
    unit: 'items',
    sentence: 'In the metadata of a result: a longer list is kept, but not understood.',
  },
  tagLength: {
    value: 64,
    unit: 'characters',
    sentence: 'A tag of a result. A list with a longer one is kept, but not understood.',
  },
  links: {
    value: 20,
    unit: 'items',
    sentence: 'In the metadata of a result: a longer list is kept, but not understood.',
  },
  linkLength: {
    value: 2_048,
    unit: 'characters',
    sentence: 'The address of a link of a result. A list with a longer one is kept, but not understood.',
  },
  longErrorMessageBytes: {
    value: 256 * KIB,
    unit: 'bytes',
    sentence:
      'A long error message of an item of a submission, as JSON in UTF-8. It does not count against the limit of metadata. A longer one is cut in its middle.',
  },
  messagesPerPageBytes: {
    value: 8 * MIB,
    unit: 'bytes',
    sentence:
      'Error messages that a page of results shows whole, together. Those after them are cut in their middle; the result itself shows them whole.',
  },
  knownFailureReasonLength: {
    value: 1_024,
    unit: 'characters',
    sentence: 'The `reason` of a known failure. It has at least one character.',
  },
  causeOwnerLength: {
    value: 255,
    unit: 'characters',
    sentence: 'The `owner` of a group of failures. It has at least one character.',
  },
  causeNoteLength: {
    value: 4_096,
    unit: 'characters',
    sentence: 'The `note` of a group of failures. It has at least one character.',
  },
  ticketUrlLength: {
    value: 2_048,
    unit: 'characters',
    sentence: 'The `ticket` of a group of failures, an address of http or https.',
  },
  testsOfCause: {
    value: 5_000,
    unit: 'items',
    sentence: 'Tests of a group of failures that one call marks as known. A group of more is refused.',
  },
  redactionReasonLength: {
    value: 500,
    unit: 'characters',
    sentence: 'The `reason` of a redaction. It has at least one character.',
  },
  redactedTextLeast: {
    value: 6,
    unit: 'characters',
    sentence: 'The `text` of a redaction has at least so many: a shorter one would be found everywhere.',
  },
  redactedTextLength: { value: 10_000, unit: 'characters', sentence: 'The `text` of a redaction.' },
  knownFailureMs: {
    value: 90 * DAY,
    unit: 'milliseconds',
    sentence: 'How far `expires_at` of a known failure can lie ahead of the clock of the server.',
  },
  metadataBytes: {
    value: 65_536,
    unit: 'bytes',
    sentence: 'Metadata of a run, result or artifact, as compact JSON in UTF-8.',
  },
  metadataLevels: {
    value: 32,
    unit: 'levels',
    sentence: 'Nested objects and arrays in metadata, the outermost object included.',
  },
  supersededPerItem: {
    value: 1_000,
    unit: 'items',
    sentence:
      'Items of a submission that one item of a later attempt supersedes, and results of lower attempts of a shard that one result supersedes.',
  },
  metadataValues: {
    value: 5_000,
    unit: 'items',
    sentence: 'Values in metadata, at all levels: texts, numbers, booleans, nulls, arrays and objects.',
  },
  eventsPerStream: {
    value: 10_000,
    unit: 'items',
    sentence:
      'Events of one run, result with its artifacts, project, webhook or known failure of a test. After that, it can still be completed or deleted once, and its artifacts be confirmed and deleted.',
  },
  historyMetadataKeys: {
    value: 20,
    unit: 'items',
    sentence: 'Keys of metadata that a history lists for one event; `changes_left_out` counts the others.',
  },
  historyValueLength: {
    value: 256,
    unit: 'characters',
    sentence:
      'A value of metadata in a history, as text or as JSON, and the name of its field: a longer one is cut.',
  },
  keysPerTeam: {
    value: 1_000,
    unit: 'items',
    sentence: 'API keys of one team that are not revoked and have not expired.',
  },
  networksToldPerKey: {
    value: 20,
    unit: 'items',
    sentence:
      'New networks of one API key that the audit tells in a day, for each process of the server. Those beyond are not told on that day.',
  },
  keyMs: {
    value: 365 * DAY,
    unit: 'milliseconds',
    sentence: 'The longest time that the `expires_at` of an API key is ahead.',
  },
  trustsPerProject: {
    value: 50,
    unit: 'items',
    sentence: 'Trusts of one project in the tokens of CI services.',
  },
  claimsPerTrust: {
    value: 10,
    unit: 'items',
    sentence: 'Claims that one trust names.',
  },
  trustTextLength: {
    value: 255,
    unit: 'characters',
    sentence: 'The audience of a trust, and each of its patterns.',
  },
  issuerLength: {
    value: 500,
    unit: 'characters',
    sentence: 'The URL of the issuer of a trust.',
  },
  ciTokenLength: {
    value: 8_192,
    unit: 'characters',
    sentence: 'A token of a build (`POST /v1/ci-token`).',
  },
  buildKeyMs: {
    value: 6 * HOUR,
    unit: 'milliseconds',
    sentence: 'Life of a key that a build gets for its token.',
  },
  linksPerRun: {
    value: 50,
    unit: 'items',
    sentence: 'Links of one run that have not ended.',
  },
  linkMs: {
    value: 30 * DAY,
    unit: 'milliseconds',
    sentence:
      'The longest time that the `expires_at` of a link to a run is ahead; without one, it is 7 days.',
  },
  linkFileMs: {
    value: 300 * SECOND,
    unit: 'milliseconds',
    sentence: 'Life of the URL of a file that a link to a run shows.',
  },
  badgesPerProject: {
    value: 50,
    unit: 'items',
    sentence: 'Badges of one project.',
  },
  projectsPerKey: {
    value: 50,
    unit: 'items',
    sentence: 'Projects that an API key or a webhook names in `project_ids`.',
  },
  filterTexts: {
    value: 50,
    unit: 'items',
    sentence: 'Branches, environments or owners that the filter of a webhook names, each.',
  },
  keyEndsSoonMs: {
    value: 7 * DAY,
    unit: 'milliseconds',
    sentence:
      'Time before the `expires_at` of an API key from which its answers have the header `X-Key-Expires`.',
  },
  membersPerTeam: {
    value: 500,
    unit: 'items',
    sentence: 'Members of one team.',
  },
  invitationsPerTeam: {
    value: 100,
    unit: 'items',
    sentence: 'Open invitations of one team.',
  },
  passwordLeast: {
    value: 12,
    unit: 'characters',
    sentence: 'The shortest password of a person.',
  },
  passwordLength: {
    value: 200,
    unit: 'characters',
    sentence: 'The password of a person.',
  },
  emailLength: {
    value: 254,
    unit: 'characters',
    sentence: 'The e-mail of a person.',
  },
  sessionMs: {
    value: 14 * DAY,
    unit: 'milliseconds',
    sentence: 'Time after its last use for which a person stays signed in.',
  },
  sessionsPerPerson: {
    value: 20,
    unit: 'items',
    sentence: 'Sessions of one person; a further one ends the one that was used longest ago.',
  },
  proofMs: {
    value: 600 * SECOND,
    unit: 'milliseconds',
    sentence:
      'Time after a sign-in or a typed password for which acts that nobody can undo need no other proof.',
  },
  invitationMs: {
    value: 7 * DAY,
    unit: 'milliseconds',
    sentence: 'Time for which the link of an invitation works.',
  },
  invitationTries: {
    value: 5,
    unit: 'items',
    sentence:
      'Wrong e-mails or passwords with which an invitation for one e-mail can be tried; then it ends.',
  },
  resetMs: {
    value: DAY,
    unit: 'milliseconds',
    sentence: 'Time for which a link to set a new password works.',
  },
  keysWithoutLogMs: {
    value: 30 * SECOND,
    unit: 'milliseconds',
    sentence:
      'Time for which a server that cannot read the event log accepts the API keys that it knows. After it, every request is 503, because the key may be revoked.',
  },
  revokedKeysShown: {
    value: 1_000,
    unit: 'items',
    sentence: 'Revoked and expired API keys of one team that lists still show: the newest ones.',
  },
  itemsPerSubmission: {
    value: 50_000,
    unit: 'items',
    sentence: 'Results in one submission.',
  },
  itemsPerRun: {
    value: 1_000_000,
    unit: 'items',
    sentence: 'Results that all submissions to one run have together.',
  },
  shardsPerRun: {
    value: 1_000,
    unit: 'items',
    sentence: 'Shards of one run.',
  },
  // `domain/test-history/packed-entry.ts` stores an attempt in a base of 1,000: a higher limit needs a new form there.
  attempts: {
    value: 1_000,
    unit: 'items',
    sentence: 'The highest `attempt` of a result, and of a shard.',
  },
  executionTimeMs: {
    value: 2 ** 31 - 1,
    unit: 'milliseconds',
    sentence: 'The execution time of a result.',
  },
  startAheadMs: {
    value: DAY,
    unit: 'milliseconds',
    sentence: 'How far `started_at` can lie ahead of the clock of the server.',
  },
  artifactsPerResult: {
    value: 50,
    unit: 'items',
    sentence: 'Artifacts of one result: the confirmed ones, and those that can still be uploaded.',
  },
  artifactBytes: {
    value: 100 * MIB,
    unit: 'bytes',
    sentence: 'The file of an artifact.',
  },
  artifactsPerBatch: {
    value: 100,
    unit: 'items',
    sentence: 'Artifacts that one call creates or confirms.',
  },
  artifactContentBytes: {
    value: 64 * KIB,
    unit: 'bytes',
    sentence: 'The file of an artifact that travels in the call which creates it.',
  },
  artifactTextLength: {
    value: 255,
    unit: 'characters',
    sentence: 'The label, the content type and the test step of an artifact, each.',
  },
  uploadMs: {
    value: 600 * SECOND,
    unit: 'milliseconds',
    sentence: 'Time for the upload of a file to the server itself.',
  },
  downloadUrlMs: {
    value: HOUR,
    unit: 'milliseconds',
    sentence: 'Time for which a download URL works, if its artifact and its key exist for that time.',
  },
  webhooksPerTeam: {
    value: 50,
    unit: 'items',
    sentence: 'Webhooks of one team.',
  },
  webhookUrlLength: {
    value: 2_048,
    unit: 'characters',
    sentence: 'The URL of a webhook, as it is sent and once it is percent-encoded.',
  },
  payloadBytes: {
    value: 20_000,
    unit: 'bytes',
    sentence: 'The body of a message to a webhook: metadata are left out of a larger one, and named.',
  },
  chatMessageLength: {
    value: 3_000,
    unit: 'characters',
    sentence:
      'The body of a message to a chat: it names as much of what happened as fits, and links to the rest.',
  },
  webhookPreviewMs: {
    value: 7 * DAY,
    unit: 'milliseconds',
    sentence: 'Time for which a preview of a webhook says what it would have sent.',
  },
  webhookPreviewResults: {
    value: 100_000,
    unit: 'items',
    sentence: 'Newest results with a message that a preview of a webhook looks at.',
  },
  webhookAnswerMs: {
    value: 15 * SECOND,
    unit: 'milliseconds',
    sentence: 'Time for an endpoint to answer one attempt, the look-up of its name included.',
  },
  deliveryAttemptsShown: {
    value: 50,
    unit: 'items',
    sentence: 'Latest attempts that the record of a delivery shows.',
  },
  responseBytesShown: {
    value: KIB,
    unit: 'bytes',
    sentence: 'The part of the answer of an endpoint that an attempt shows.',
  },
  failingEndpointMs: {
    value: 5 * DAY,
    unit: 'milliseconds',
    sentence: 'Time for which an endpoint can fail without a success before its webhook is disabled.',
  },
  secretOverlapMs: {
    value: DAY,
    unit: 'milliseconds',
    sentence: 'Time for which the former secret of a webhook still signs after a rotation.',
  },
} satisfies Record<string, Limit>;

export type LimitName = keyof typeof table;

/** Each limit with its unit and its sentence, in the order of the documentation. */
export const describedLimits: Readonly<Record<LimitName, Limit>> = table;

/** Each limit as a number. */
export const limits = Object.fromEntries(
  Object.entries(table).map(([name, { value }]) => [name, value]),
) as Readonly<Record<LimitName, number>>;

/** Pauses between the attempts of a delivery, which ends after the last: one attempt more than pauses. */
export const deliveryPausesMs: readonly number[] = [
  5 * SECOND,
  300 * SECOND,
  1_800 * SECOND,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
