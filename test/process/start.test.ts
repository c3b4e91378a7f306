import { expect } from 'chai';
import { isApiKey } from '../../src/domain/api-key.js';
import { givenProject, givenSubmission } from '../http/given.js';
import { keysIn, withoutLink } from './printed.js';
import { servers } from '../kit/process.js';

describe('the process: a start', () => {
  const given = servers();

  it('shows a working first key on standard error, once, without BOOTSTRAP_API_KEY', async () => {
    const env = { BOOTSTRAP_API_KEY: '' };
    const first = await given.start({ env });
    const shown = keysIn(first.stderr());
    expect(shown).to.have.length(1);
    expect(shown[0]).to.satisfy(isApiKey);
    const owner = first.as(shown[0]!);
    expect((await owner.get('/v1/me')).body.data.key).to.include({ role: 'owner' });
    await first.kill();

    const second = await given.start({ env });
    expect((await second.as(shown[0]!).get('/v1/me')).status).to.equal(200);
    await second.stop();
    expect(withoutLink(second.stderr())).to.equal('');
    expect(keysIn(first.stdout() + second.stdout())).to.deep.equal([]);
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
