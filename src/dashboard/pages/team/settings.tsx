/** The settings of a team: the gate of all projects that have set none. */
import type { components } from '../../../client/api.generated.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Form, Submit } from '../../parts/forms/form.js';
import { changedGate, GateFields } from '../../parts/forms/gate-fields.js';
import { Fault, Saved } from '../../parts/notice.js';
import { TeamPage } from './tabs.js';

const PATH = '/teams/:team/team/settings';

export const teamSettings: readonly Page[] = [
  {
    method: 'GET',
    path: PATH,
    role: 'admin',
    handle: async (request) => show(request, await gateOfTeam(request)),
  },
  {
    method: 'POST',
    path: `${PATH}/gate`,
    role: 'admin',
    handle: (request) => change(request, changedGate(request.form)),
  },
  { method: 'POST', path: `${PATH}/no-gate`, role: 'admin', handle: (request) => change(request, null) },
];

type Gate = components['schemas']['GateSettings'];

async function gateOfTeam({ api }: PageRequest): Promise<Gate> {
  return (await api.get('/v1/team')).data.gate;
}

/** Shows the form again, as it was sent, where the API refuses it. */
async function change(request: PageRequest, gate: Partial<Gate> | null) {
  try {
    await request.api.send('patch', '/v1/team', { body: { gate } });
    return { redirect: `/teams/${request.team.team_id}/team/settings?saved` };
  } catch (error) {
    const fault = formFault(error, ['event_limit', 'write_conflict']);
    const present = await gateOfTeam(request);
    return { ...show(request, present, { ...present, ...gate }, fault), status: fault.status };
  }
}

/** `sent`: as the form was filled in. */
function show(request: PageRequest, gate: Gate, sent = gate, fault?: FormFault): Shown {
  const { person, team, url } = request;
  const action = `/teams/${team.team_id}/team/settings`;
  return {
    title: `Settings of ${team.team_name}`,
    body: (
      <TeamPage request={request} here="/settings">
        {url.searchParams.has('saved') && fault === undefined && <Saved />}
        <Fault message={fault?.message} />
        <section class="panel">
          <h2>Gate</h2>
          <p class="soft">It holds for all projects, except for settings that a project has set itself.</p>
          <Form action={`${action}/gate`} csrf={person.csrf}>
            <GateFields gate={sent} was={gate} />
            <Submit>Save the gate</Submit>
          </Form>
          <ButtonForm action={`${action}/no-gate`} csrf={person.csrf}>
            Use the defaults
          </ButtonForm>
        </section>
        {team.role === 'owner' && (
          <p>
            <a class="button danger" href={`/teams/${team.team_id}/team/delete`}>
              Delete all projects…
            </a>
          </p>
        )}
      </TeamPage>
    ),
  };
}
