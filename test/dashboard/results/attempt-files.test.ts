import { expect } from 'chai';
import { givenArtifact, givenProject, givenSubmission, givenTeam } from '../../http/given.js';
import { testServer } from '../../kit/server.js';
import { attributeOf, elementsIn, intruders, textOf } from '../html.js';
import { apiOf, openPage } from '../open-page.js';

describe('the files on the page of a result', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  const open = (path: string) =>
    openPage(`/teams/${team.id}${path}`, { api: apiOf(team.owner), team: team.id });

  it('are those of all attempts of the run, each attempt for itself, and the first log open', async () => {
    const project = await givenProject(team.owner);
    const { results } = await givenSubmission(team.owner, project, [
      { name: 'retries', status: 'failed', attempt: 1 },
      { name: 'retries', status: 'failed', attempt: 2 },
      { name: 'retries', attempt: 3 },
    ]);
    const [first, second] = results as [string, string];
    await givenArtifact(team.owner, first, 'a picture', { label: 'first.png', content_type: 'image/png' });
    await givenArtifact(team.owner, second, 'a log', { label: 'second.log', content_type: 'text/plain' });
    const of = async (id: string) => {
      const { html } = await open(`/results/${id}`);
      expect(intruders(html)).to.deep.equal([]);
      const folds = elementsIn(html).filter((each) =>
        /other-files|panel log/.test(attributeOf(each, 'class') ?? ''),
      );
      return folds.map((each) => [
        textOf(each)
          .replaceAll(/\s+/g, ' ')
          .match(/Attempt \d 1 file|second\.log/)![0],
        attributeOf(each, 'open') !== null,
      ]);
    };
    expect(await of(results[1]!)).to.deep.equal([
      ['second.log', true],
      ['Attempt 1 1 file', false],
    ]);
    // Of an attempt without files, the next one with some is open: its log is not.
    expect(await of(results[2]!)).to.deep.equal([
      ['Attempt 2 1 file', true],
      ['second.log', false],
      ['Attempt 1 1 file', false],
    ]);
  });
});
