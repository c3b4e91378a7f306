import { expect } from 'chai';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { givenProject, givenSubmission, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { elementsIn, textOf } from './html.js';
import { visit } from './shown-page.js';

describe('the pages, where a name has nothing that one sees,', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');

  for (const [way, blank] of Object.entries({ spaces: '   ', 'characters without width': '\u200b\u200b' })) {
    it(`have a text in each link and heading: ${way}`, async () => {
      const project = await givenProject(team.owner, { name: blank });
      const items = [
        { name: blank, status: 'failed', error_message: blank },
        { name: `${blank}${blank}`, status: 'failed', error_message: blank },
        { name: `${blank} `, status: 'failed', error_message: 'no money' },
        { name: `${blank}  `, status: 'passed' },
      ];
      const { run, results } = await givenSubmission(team.owner, project, items, { label: blank });
      for (const path of [
        '',
        `/projects/${project}`,
        `/projects/${project}/tests?q=state:all`,
        `/projects/${project}/tests/${testIdOf(project, blank)}`,
        `/projects/${project}/failures`,
        `/projects/${project}/settings`,
        `/runs/${run}`,
        `/runs/${run}/failures`,
        `/runs/${run}/results`,
        `/runs/${run}/compare`,
        `/runs/${run}/history`,
        `/results/${results[0]}`,
        `/results/${results[2]}/history`,
      ]) {
        const { html } = await visit(`/teams/${team.id}${path}`, { api: team.owner, team: team.id });
        const unseen = elementsIn(html)
          .filter(({ tagName }) => ['a', 'h1', 'h2', 'h3'].includes(tagName))
          .filter((element) => /^[\s\u200b]*$/u.test(textOf(element)));
        expect(
          unseen.map(({ tagName, attrs }) => [tagName, attrs]),
          path,
        ).to.deep.equal([]);
      }
    });
  }
});
