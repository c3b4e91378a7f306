import { expect } from 'chai';
import { givenProject, givenSubmission } from '../http/given.js';
import { withoutLink } from './printed.js';
import { servers } from '../kit/process.js';

describe('the process: a start', () => {
  const given = servers();

  it('prints no key, which logs would keep, but a link that makes the first owner', async () => {
    const first = await given.start({ env: { BOOTSTRAP_API_KEY: '' } });
    expect(withoutLink(first.stderr())).to.equal('');
    expect(first.stderr()).to.include('/first-start/').and.include('within an hour');
    await first.stop();
    expect(first.stdout() + first.stderr()).to.not.match(/tl_[0-9A-Za-z]{36}/);
  });

  it('happens at once on the folder of a killed server, and shows every write that was answered', async () => {
    const first = await given.start();
    const project = await givenProject(first.owner);
    const { run, results } = await givenSubmission(first.owner, project, [{}, { status: 'failed' }]);
    await first.kill();
    const second = await given.start();
    expect((await second.owner.get(`/v1/projects/${project}`)).status).to.equal(200);
    await second.caughtUp();
    const { body } = await second.owner.get(`/v1/test-runs/${run}/results`);
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(results);
    expect(second.stderr()).to.match(
      /^\nNobody can sign in yet\. .*\n\n {2}http:\S+\/first-start\/[\w-]{43}\n\n$/,
    );
    expect((await second.stop()).code).to.equal(0);
  });
});
