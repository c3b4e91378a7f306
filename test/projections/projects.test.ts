import { expect } from 'chai';
import { openPlay } from '../domain/play.js';
import { fold, projectOf } from './folding.js';

describe('projects, as they are read', () => {
  it('show what was last said of them, and since when they are', async () => {
    const play = openPlay();
    const project = play.project(play.team(), 'Shop', 'The shop');
    const { at, team_id } = play.events.at(-1)!.meta;
    const { position } = play.events.at(-1)!;
    play.change(project, { name: 'Store', status: 'Inactive' });
    expect(await projectOf(play.events, project)).to.deep.equal({
      project_id: project.id,
      name: 'Store',
      description: 'The shop',
      status: 'Inactive',
      created_at: at,
      team_id,
      created_position: position,
      position: play.events.at(-1)!.position,
    });
  });

  it('are counted by team, and stay counted when they change', async () => {
    const play = openPlay();
    const [one, other] = [play.team(), play.team()];
    play.change(play.project(one), { status: 'Inactive' });
    play.project(one);
    play.project(other);
    expect([...(await fold(play.events)).totals]).to.deep.equal([
      [`projects/team_id/${one}`, 2],
      [`projects/team_id/${other}`, 1],
    ]);
  });
});
