/** People on the embedded stores, with cheap hashes of passwords. */
import { expect } from 'chai';
import { openAudit } from '../../src/audit/audit.js';
import { openTallies } from '../../src/audit/tallies.js';
import { openAdmission } from '../../src/admission/admission.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { createKey, firstStart, OPERATOR_TEAM } from '../../src/commands/teams.js';
import { hashOfKey } from '../../src/domain/teams/api-key.js';
import type { MemberRole } from '../../src/domain/teams/roles.js';
import { keyMaker } from '../domain/key-maker.js';
import { openApiKeys } from '../../src/keys/api-keys.js';
import { openAccounts } from '../../src/people/accounts.js';
import { openSealedClients } from '../../src/people/sealed-clients.js';
import { openPeople } from '../../src/people/open-people.js';
import type { Acting, NewAccount, People } from '../../src/people/people.js';
import type { EventLog } from '../../src/ports/event-log.js';
import type { ExternalSignInOptions } from '../../src/people/oidc/external-sign-in.js';
import type { State } from '../../src/ports/state.js';
import type { SecretKeys } from '../../src/secret-key/secret-keys.js';
import { contextOf, type Stores } from '../stores.js';

export const context = { correlationId: 'request' };
export const SECRET = 'a secret of at least 32 characters';
const KEYS: SecretKeys = { current: SECRET, previous: null };
const COST = { N: 16, r: 8, p: 1 };

export const accountOf = (name: string): NewAccount => ({
  name,
  email: `${name.toLowerCase()}@example.org`,
  password: `the password of ${name}`,
});

export const credentialsOf = (name: string, address = '192.0.2.1') => {
  const { email, password } = accountOf(name);
  return { email, password, address };
};

export type Node = Awaited<ReturnType<typeof openNode>>;

/** A process with people and with the directory of keys. */
export async function openNode(
  stores: Stores,
  more: {
    log?: EventLog;
    state?: State;
    external?: ExternalSignInOptions;
    secretKeys?: SecretKeys;
  } = {},
) {
  const { log = stores.log, state = stores.state, external = null, secretKeys = KEYS } = more;
  const { clock } = stores;
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const commands = openCommandHandler(log);
  const directory = await openApiKeys(log, { report, state: stores.state, clock });
  stores.beforeClose(() => directory.close());
  const clients = openSealedClients(openAccounts(state, secretKeys, clock), report);
  const audit = openAudit({ log, clock, report });
  const tallies = openTallies({ audit, state, clock, report });
  stores.beforeClose(async () => {
    await tallies.close();
    await audit.close();
  });
  const people = openPeople({
    state,
    commands,
    directory,
    secretKeys,
    clock,
    report,
    admission: openAdmission(),
    passwordCost: COST,
    external,
    audit: { tell: audit.tell, count: tallies.count },
    sealClient: clients.seal,
  });
  return { people, commands, directory, reported, audit, tallies, clients };
}

/** A node whose operator's team has the owner Olga, who is signed in. */
export async function givenOwner(stores: Stores) {
  const node = await openNode(stores);
  await firstStart(stores.log, node.commands, stores.clock, null);
  const link = (await node.people.newFirstStart())!;
  const { token } = await node.people.acceptFirstStart(link, accountOf('Olga'), context);
  const olga = await signedIn(node.people, token);
  return { ...node, link, token, olga };
}

/** A person as they act in the operator's team, or in another one. */
export async function signedIn(people: People, token: string, team = OPERATOR_TEAM): Promise<Acting> {
  const session = await people.session(token);
  if (session === null) return expect.fail('there is no such session');
  const { role } = session.memberships.find(({ team_id }) => team_id === team)!;
  return { person_id: session.person_id, team, role, correlationId: 'request' };
}

/** Invites a new person, who accepts. */
export async function givenMember(people: People, by: Acting, name: string, role: MemberRole) {
  const { token: link } = await people.invite(by, role);
  const { token } = await people.acceptInvitation(link, accountOf(name), context);
  return { token: token!, acting: await signedIn(people, token!, by.team) };
}

/** The hash of a new key of the person, in the operator's team. */
export async function newKey(
  { commands }: Pick<Node, 'commands'>,
  { person_id, role: maker }: Acting,
  role: MemberRole,
) {
  const wanted = { name: 'CI', role, maker: keyMaker(maker), personId: person_id };
  const { key } = await createKey(commands, contextOf(OPERATOR_TEAM, { actor: person_id }), wanted);
  return hashOfKey(key.key);
}
