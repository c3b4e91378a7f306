import { expect } from 'chai';
import { hostileTexts, MARK } from '../dashboard/results/hostile-texts.js';
import { givenArtifact, givenProject, givenSubmission } from '../http/given.js';
import { testSite } from '../kit/site.js';

describe('hostile texts in Chromium', () => {
  const site = testSite();

  for (const { way, text, refused } of hostileTexts) {
    if (refused) continue;
    it(`${way}, in every field of a run, stays text: no dialog, no script, and the policy reports nothing`, async () => {
      const short = Array.from(text).slice(0, 200).join('').padEnd(2, '.');
      const error = { type: short, stack: text, expected: text, actual: `${text} `, hook: short };
      const understood = { file: short, suite: short, owner: short, tags: [short] };
      const project = await givenProject(site.api, { name: short, description: short });
      const { run, results } = await givenSubmission(
        site.api,
        project,
        [
          {
            name: short,
            status: 'failed',
            error_message: text,
            metadata: { ...understood, error, [short]: text },
          },
          { name: `${short} 2`, status: 'passed', metadata: understood },
        ],
        {
          label: short,
          metadata: {
            branch: short,
            commit: short,
            actor: short,
            message: text,
            tool: short,
            pull_request: short,
          },
        },
      );
      await givenArtifact(site.api, results[0]!, text, {
        label: short,
        kind: 'Log',
        content_type: 'text/html',
        test_step: short,
      });
      const { body } = await site.api.get(`/v1/projects/${project}/tests`);
      const { page, go } = await site.open();
      for (const path of [
        site.team,
        `${site.team}/projects/${project}`,
        `${site.team}/projects/${project}/tests`,
        `${site.team}/projects/${project}/failures`,
        `${site.team}/projects/${project}/tests/${body.data[0].id}`,
        `${site.team}/runs/${run}`,
        `${site.team}/runs/${run}/results`,
        `${site.team}/runs/${run}/history`,
        `${site.team}/results/${results[0]}`,
        `${site.team}/results/${results[0]}/history`,
      ]) {
        await go(path);
        const marked = await page.locator(`#${MARK}, [${MARK}]`).count();
        expect(marked, path).to.equal(0);
      }
    });
  }
});
