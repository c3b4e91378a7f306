import { expect } from 'chai';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { fold, projectOf } from './folding.js';

describe('the read model of projects', () => {
  it('has the latest fields of each project, and when it was created', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team(), 'Shop', 'The shop');
    const { at, team_id } = ledger.events.at(-1)!.meta;
    const { position } = ledger.events.at(-1)!;
    ledger.changeProject(project, { name: 'Store', status: 'Inactive' });
    expect(await projectOf(ledger.events, project)).to.deep.equal({
      project_id: project.id,
      name: 'Store',
      description: 'The shop',
      default_branch: 'main',
      status: 'Inactive',
      created_at: at,
      team_id,
      created_position: position,
      position: ledger.events.at(-1)!.position,
    });
  });

  it('counts projects by team, also after they change', async () => {
    const ledger = openMemoryLedger();
    const [one, other] = [ledger.team(), ledger.team()];
    ledger.changeProject(ledger.project(one), { status: 'Inactive' });
    ledger.project(one);
    ledger.project(other);
    expect([...(await fold(ledger.events)).totals]).to.deep.equal([
      [`projects/team_id/${one}`, 2],
      [`projects/team_id,status/${one},Active`, 1],
      [`projects/team_id,status/${one},Inactive`, 1],
      [`projects/team_id/${other}`, 1],
      [`projects/team_id,status/${other},Active`, 1],
    ]);
  });
});
