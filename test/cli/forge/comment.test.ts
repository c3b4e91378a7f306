import { expect } from 'chai';
import { ForgeError } from '../../../src/cli/forge/forge-request.js';
import { keepComment, markOf, type Comments } from '../../../src/cli/forge/keep-comment.js';
import { commentsOf } from '../../../src/cli/forge/place.js';
import { fakeForge, TOKEN } from './fake-forge.js';
import { OURS } from './fake-request.js';
import { forges } from './forges.js';

type Env = Record<string, string>;

for (const [name, envOf] of Object.entries(forges)) {
  describe(`comment on a pull request of ${name}`, () => {
    const forge = fakeForge();
    const mark = markOf('project_1', 'unit');

    function comments(changes: Env = {}): Comments {
      const found = commentsOf({ ...envOf(forge), ...changes }, '12');
      if ('missing' in found) throw new Error(found.missing);
      return found.comments;
    }
    const keep = (text: string, isWorthSaying: boolean) =>
      keepComment(comments(), { mark, text, isWorthSaying });
    const others = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ id: id + 1, body: `comment ${id}`, author: 'ann' }));
    const writes = () => forge.requests.filter((request) => !request.startsWith('GET'));

    it('is refused where the forge names another host, which never gets the token', async () => {
      forge.faults.push({
        status: 302,
        text: '',
        location: `${forge.url.replace('127.0.0.1', 'localhost')}/else`,
      });
      const error = await keep('2 failed', true).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ForgeError).and.have.property('message').that.includes('answered 302');
      expect(forge.requests).to.have.length(1);
    });

    it('is made where there is something to say, and updated from then on', async () => {
      expect(await keep('nothing', false)).to.deep.equal({ did: 'nothing', url: null });
      expect((await keep('2 failed', true)).did).to.equal('created');
      expect((await keep('1 failed', true)).did).to.equal('updated');
      expect((await keep('nothing failed', false)).did).to.equal('updated');
      expect(forge.comments.map(({ body }) => body)).to.deep.equal([`${mark}\nnothing failed`]);
    });

    it('is left alone where its text is the same', async () => {
      await keep('1 failed\n', true);
      forge.comments[0]!.body = `${mark}\r\n1 failed`;
      expect((await keep('1 failed\n', true)).did).to.equal('nothing');
      expect(writes()).to.have.length(1);
    });

    it('is found on a later page', async () => {
      forge.comments = [...others(120), { id: 500, body: `${mark}\nold`, author: OURS }];
      expect((await keep('new', true)).did).to.equal('updated');
      expect(forge.comments.at(-1)!.body).to.equal(`${mark}\nnew`);
      expect(forge.requests.filter((request) => request.includes('per_page'))).to.have.length(3);
    });

    it('is never a comment of somebody else, though it has the mark', async () => {
      forge.comments = [{ id: 1, body: `${mark}\nmine`, author: 'mallory' }];
      expect((await keep('new', true)).did).to.equal('created');
      expect(forge.comments[0]!.body).to.equal(`${mark}\nmine`);
    });

    it('stays one where another job makes it in the same moment: the first one is updated, and the second removed', async () => {
      forge.comments = others(60);
      forge.meanwhile = [{ id: 500, body: `${mark}\n1 failed`, author: OURS }];
      expect((await keep('2 failed', true)).did).to.equal('updated');
      const own = forge.comments.filter(({ author }) => author === OURS);
      expect(own).to.deep.equal([{ id: 500, body: `${mark}\n2 failed`, author: OURS }]);
      expect((await keep('3 failed', true)).did).to.equal('updated');
      expect(forge.comments.filter(({ author }) => author === OURS)).to.have.length(1);
    });

    it('is one for each key', async () => {
      await keep('unit', true);
      await keepComment(comments(), { mark: markOf('project_1', 'e2e'), text: 'e2e', isWorthSaying: true });
      await keep('unit again', true);
      expect(forge.comments.map(({ body }) => body.split('\n')[1])).to.deep.equal(['unit again', 'e2e']);
    });

    it('ends after a bounded number of pages', async () => {
      forge.comments = others(3_100);
      expect((await keep('new', true)).did).to.equal('created');
      expect(forge.requests.filter((request) => request.includes('per_page'))).to.have.length(61);
    });

    it('is refused with the cause and a way out, without the token', async () => {
      forge.refuseWrites = 403;
      const error = await keep('new', true).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ForgeError);
      const { message } = error as ForgeError;
      expect(message).to.match(/was answered 403: Resource not accessible by integration\. .*docs\/ci\.md/u);
      expect(message).to.not.include(TOKEN);
    });

    it('waits for a forge that limits its rate, as long as it asks for', async () => {
      const text = JSON.stringify({ message: 'You have exceeded a secondary rate limit.' });
      forge.faults = [
        { status: 403, text, retryAfter: '0' },
        { status: 429, text: '', retryAfter: '0' },
      ];
      expect((await keep('1 failed', true)).did).to.equal('created');
      expect(forge.faults).to.deep.equal([]);
    });

    it('is refused with what is wrong with the token where the forge does not know it', async () => {
      const text = '{"message":"Bad credentials"}';
      // The first one is of the question who the user of the token is, which that of a job has no answer to.
      forge.faults = [
        { status: 401, text },
        { status: 401, text },
      ];
      const { message } = (await keep('new', true).catch((reason: unknown) => reason)) as ForgeError;
      expect(message).to.match(/was answered 401: Bad credentials\. The token is wrong, or it has ended\.$/u);
    });

    it('is refused without advice about permissions where the limit lasts too long', async () => {
      await keep('1 failed', true);
      const limit = { status: 403, text: '{"message":"API rate limit exceeded"}', retryAfter: '3600' };
      forge.faults = [limit, limit, limit];
      const { message } = (await keep('2 failed', true).catch((reason: unknown) => reason)) as ForgeError;
      expect(message).to.match(/was answered 403: API rate limit exceeded\.$/u);
    });

    it('is not made while a limit lasts that only `Retry-After` shows', async () => {
      forge.faults = [{ status: 403, text: '{"message":"Slow down"}', retryAfter: '3600' }];
      const { message } = (await keep('1 failed', true).catch((reason: unknown) => reason)) as ForgeError;
      expect(message).to.match(/was answered 403: Slow down\.$/u);
      expect(writes()).to.deep.equal([]);
    });

    it('is brought up to date though the forge fails once', async () => {
      await keep('1 failed', true);
      forge.faults = [{ status: 502, text: '<html>', retryAfter: '0' }];
      expect((await keep('nothing failed', false)).did).to.equal('updated');
      expect(forge.comments).to.have.lengthOf(1);
    });

    it('is refused, and is no fault of ours, where a page answers in place of the forge', async () => {
      const page = { status: 200, text: '<html>sign in</html>' };
      forge.faults = [page, page, page];
      const error = await keep('new', true).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(ForgeError);
    });

    it('says that the forge is not there', async () => {
      const away = { GITHUB_API_URL: 'http://127.0.0.1:2', CI_API_V4_URL: 'http://127.0.0.1:2/api/v4' };
      const error = await keepComment(comments(away), { mark, text: '', isWorthSaying: true }).catch(
        (reason: unknown) => reason,
      );
      expect(error)
        .to.be.instanceOf(ForgeError)
        .with.property('message')
        .that.matches(/ECONNREFUSED/u);
    });
  });
}

describe('the place of a comment', () => {
  it('is named where it is missing', () => {
    const missing = (env: Env, pullRequest: string | null) => {
      const found = commentsOf(env, pullRequest);
      return 'missing' in found ? found.missing : '';
    };
    expect(missing({}, '1')).to.include('neither GitHub nor GitLab');
    expect(missing({ GITHUB_REPOSITORY: 'a/b' }, '1')).to.include('GITHUB_TOKEN');
    expect(missing({ GITHUB_REPOSITORY: 'a/b', GITHUB_TOKEN: 'x' }, null)).to.include(
      'not for a pull request',
    );
    expect(missing({ GITHUB_REPOSITORY: 'a/b', GITHUB_TOKEN: 'x' }, '1/../../x')).to.include(
      'not for a pull request',
    );
    expect(missing({ CI_API_V4_URL: 'http://x', GITLAB_TOKEN: 'x' }, '1')).to.include('CI_PROJECT_ID');
    expect(missing({ CI_API_V4_URL: 'http://x' }, '1')).to.include('TESTLEDGER_GITLAB_TOKEN');
    expect(missing({ CI_API_V4_URL: 'http://x', GITLAB_TOKEN: 'x', CI_PROJECT_ID: '5' }, null)).to.include(
      'not for a merge request',
    );
  });
});

describe('the mark of a comment', () => {
  it('is ended by nothing in it', () => {
    const mark = markOf('project_1', '--> <script> @all \n\ud800');
    expect(mark.slice(0, -3)).to.not.match(/-->|<s|\n/u);
    expect(mark).to.match(/^<!-- testledger: project_1 [\w%.!~*'()]+ -->$/u);
  });
});
