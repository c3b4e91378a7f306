/** Tells the audit what people do about their own accounts, in each of their teams. */
import type { Audit, Sender } from '../audit/audit.js';
import type { Tallies } from '../audit/tallies.js';
import type { ActType, Details } from '../domain/audit/acts.js';
import { UNKNOWN } from '../domain/audit/actor.js';
import type { Acting, Visit } from './people.js';
import type { SealClient } from './sealed-clients.js';
import type { Directory } from './teams.js';

/** None of them throws: what was done is not undone because it could not be told. */
export type Telling = {
  /** A person did something about their own account. */
  own(person: string, act: ActType, visit: Visit | undefined, details?: Details): Promise<void>;
  /** Somebody did something about the account of another person. */
  about(person: string, act: ActType, by: Acting): Promise<void>;
  /** The identity provider did something about an account. */
  byProvider(person: string, act: ActType, visit: Visit): Promise<void>;
  /** Somebody did something in a team. */
  inTeam(by: Omit<Acting, 'role'>, act: ActType, id: string, details: Details): Promise<void>;
  /** What strangers did ended an invitation of a team. */
  byNobody(team: string, act: ActType, id: string, correlationId: string): Promise<void>;
  /** Somebody typed a wrong password. It is told behind, so that an answer takes as long as for an unknown e-mail. */
  failed(person: string, visit: Visit | undefined): void;
};

export type AuditOfPeople = Pick<Audit, 'tell'> & Pick<Tallies, 'count'>;

type Parts = {
  audit: AuditOfPeople;
  directory: Directory;
  sealClient: SealClient;
  report: (error: unknown) => void;
};

export function openTelling({ audit, directory, sealClient, report }: Parts): Telling {
  const teamsOf = async (person: string) =>
    ((await directory.person(person))?.memberships ?? []).map(({ team_id }) => team_id);

  /** `as`: who did it; null for nobody who is known. `person`: with whose key the place is sealed. */
  const senderOf = (as: string | null, visit: Visit | undefined, person: string): Sender => {
    const client = visit?.client;
    return {
      actor: as ?? UNKNOWN,
      correlationId: visit?.correlationId ?? person,
      ...(client && { client: () => sealClient(person, client) }),
    };
  };
  const subjectOf = (person: string) => ({ type: 'person', id: person });

  async function tell(person: string, act: { act: ActType; details?: Details }, sender: Sender) {
    try {
      await audit.tell(await teamsOf(person), { ...act, subject: subjectOf(person) }, sender);
    } catch (error) {
      report(error);
    }
  }

  return {
    own: (person, act, visit, details = {}) =>
      tell(person, { act, details }, senderOf(person, visit, person)),
    about: (person, act, by) => tell(person, { act }, senderOf(by.person_id, by, by.person_id)),
    byProvider: (person, act, visit) =>
      tell(person, { act, details: { by: 'provider' } }, senderOf('system', visit, person)),
    inTeam: ({ team, person_id, ...visit }, act, id, details) =>
      audit.tell(
        [team],
        { act, subject: { type: 'invitation', id }, details },
        senderOf(person_id, visit, person_id),
      ),
    byNobody: (team, act, id, correlationId) =>
      audit.tell(
        [team],
        { act, subject: { type: 'invitation', id }, details: {} },
        { actor: UNKNOWN, correlationId },
      ),
    failed(person, visit) {
      teamsOf(person)
        .then((teams) =>
          audit.count(
            teams,
            { act: 'sign_in_failed', subject: subjectOf(person) },
            senderOf(null, visit, person),
          ),
        )
        .catch(report);
    },
  };
}
