import { expect } from 'chai';
import { endOf } from '../../../src/dashboard/pages/result/known-failure-forms.js';
import { givenInactive, givenProject, givenSubmission } from '../../http/given.js';
import { testServer } from '../../kit/server.js';
import { failure } from '../results/cart-failure.js';
import { givenShop } from '../results/shop.js';
import { attributeOf, elementsIn, linksIn, textIn, textOf } from '../html.js';
import type { Opening } from '../open-page.js';

describe('the known failure on pages', () => {
  const server = testServer();
  const { team, project, ran, open } = givenShop(server);

  const rendered = async (id: string, role: Opening['role'] = 'member') =>
    (await open(`/results/${id}`, { role })).html;
  const actionOf = (html: string) =>
    elementsIn(html)
      .flatMap((element) => attributeOf(element, 'action') ?? [])
      .find((action) => action.includes('known'));

  it('is set by the form for a number of days, shown with its reason, and ended', async () => {
    const { results } = await ran('known', [{ ...failure, name: 'known to fail' }]);
    const id = results[0]!;
    const action = actionOf(await rendered(id))!.replace(`/teams/${team.id}`, '');
    const form = { for: '7', reason: 'the-bank-is-down', result: id };
    const { reply } = await open(action, { role: 'member', form });
    expect(reply).to.deep.equal({ redirect: `/teams/${team.id}/results/${id}#known-failure` });
    const html = await rendered(id);
    expect(html).to.contain('the-bank-is-down');
    const end = actionOf(html)!.replace(`/teams/${team.id}`, '');
    expect(end).to.match(/\/known-failure\/end$/);
    await open(end, { role: 'member', form: { result: id } });
    expect(await rendered(id)).not.to.contain('the-bank-is-down');
  });

  it('is of the environment of the failure, unless it is set for all, and every format says which', async () => {
    const name = 'known on Windows';
    const on = (os: string, status: string) =>
      givenSubmission(team.owner, project(), [{ name, status }], {
        metadata: { branch: 'known-there', environment: { os } },
      });
    await on('linux', 'passed');
    const id = (await on('windows', 'failed')).results[0]!;
    const html = await rendered(id);
    const box = elementsIn(html).find((each) => attributeOf(each, 'name') === 'environment')!;
    expect(attributeOf(box, 'value')).to.equal('os=windows');
    expect(attributeOf(box, 'checked')).to.not.equal(null);
    const action = actionOf(html)!.replace(`/teams/${team.id}`, '');
    const form = { for: '7', reason: 'slow disk', result: id };
    const refused = await open(action, { role: 'member', form: { ...form, reason: '' } });
    const again = elementsIn(refused.html).find((each) => attributeOf(each, 'name') === 'environment')!;
    expect(attributeOf(again, 'checked')).to.equal(null);

    await open(action, { role: 'member', form: { ...form, environment: 'os=windows' } });
    const page = action.replace(/\/known-failure$/, '');
    for (const path of [`/results/${id}`, page]) {
      const section = textIn((await open(path)).html, 'section');
      expect(section).to.contain('in os=windows only');
      const { reply: md } = await open(`${path}.md`);
      expect((md as { text: string }).text).to.match(/- Known failure:? until .* in os=windows: slow disk/);
      const { reply: json } = await open(`${path}.json`);
      const { test } = JSON.parse((json as { text: string }).text);
      expect(test.known_failure.environment_key).to.equal('os=windows');
    }
    const listed = (await open(`/projects/${project()}/tests?q=state:known`)).html;
    expect(textIn(listed, 'th')).to.contain('known failure in os=windows');
    const { run } = await on('linux', 'failed');
    const { body } = await team.owner.get(`/v1/test-runs/${run}/results`);
    expect(body.data[0].known).to.equal(false);

    await open(action, { role: 'member', form });
    expect(textIn(await rendered(id), 'section')).to.not.contain('in os=windows only');
  });

  it('leads back to the page of the test in the environment of that page', async () => {
    const { results } = await ran('led in', [{ ...failure, name: 'led in' }]);
    const action = actionOf(await rendered(results[0]!))!.replace(`/teams/${team.id}`, '');
    const page = `/teams/${team.id}${action.replace(/\/known-failure$/, '')}`;
    const form = { for: '7', reason: 'x', page_environment: '' };
    const { reply } = await open(action, { role: 'member', form });
    expect(reply).to.deep.equal({ redirect: `${page}?environment=#known-failure` });
  });

  it('is shown again with all that was sent, without a reason or a day in the future', async () => {
    const { results } = await ran('refused', [{ ...failure, name: 'refused' }]);
    const result = results[0]!;
    const action = actionOf(await rendered(result))!.replace(`/teams/${team.id}`, '');
    const checked = (html: string) =>
      elementsIn(html)
        .filter((each) => attributeOf(each, 'checked') !== null)
        .map((each) => attributeOf(each, 'value'));
    for (const [form, problem, chosen] of [
      [{ for: '30', reason: ' ', branch: 'refused' }, 'Give a reason', ['30', 'refused']],
      [{ for: 'date', until: '', reason: 'SHOP-1' }, 'Choose a day', ['date']],
      [{ for: 'date', until: '2020-01-01', reason: 'SHOP-1' }, 'Choose a day', ['date']],
      [{ for: 'date', until: '2999-01-01', reason: 'SHOP-1' }, 'Choose a day', ['date']],
    ] as const) {
      const { reply, html } = await open(action, { role: 'member', form: { ...form, result } });
      expect(reply).to.include({ status: 400 });
      expect(textIn(html, 'p')).to.contain(problem);
      const field = (id: string) => elementsIn(html).find((each) => attributeOf(each, 'id') === id)!;
      expect(attributeOf(field('known-failure-form'), 'open')).to.not.equal(null);
      expect(attributeOf(field('known-reason'), 'value')).to.equal(form.reason);
      const until = 'until' in form ? form.until : '';
      expect(attributeOf(field('known-until'), 'value')).to.equal(until);
      expect(attributeOf(field('known-until'), 'required') !== null).to.equal(form.for === 'date');
      expect(checked(html)).to.deep.equal(chosen);
    }
  });

  it('is shown again on the page of the test, and on its branch, where it was sent there', async () => {
    const { results } = await ran('side', [{ ...failure, name: 'on the page of the test' }]);
    const action = actionOf(await rendered(results[0]!))!.replace(`/teams/${team.id}`, '');
    const form = { for: '7', reason: '', page_branch: 'side' };
    const { html, reply } = await open(action, { role: 'member', form });
    expect(reply).to.include({ status: 400, title: 'on the page of the test' });
    const current = elementsIn(html).filter((each) => attributeOf(each, 'aria-current') === 'page');
    expect(current.map(textOf).join()).to.contain('side');
  });

  it('has links to the web addresses in its reason, and to nothing else', async () => {
    const { results } = await ran('linked', [{ ...failure, name: 'linked' }]);
    const action = actionOf(await rendered(results[0]!))!.replace(`/teams/${team.id}`, '');
    const reason =
      'See (https://bugs.example/SHOP-1?a=1&b="2") and javascript:alert(1), //x.example, HTTP://b.example.';
    await open(action, { role: 'member', form: { for: '7', reason, result: results[0]! } });
    for (const html of [
      await rendered(results[0]!),
      (await open(`/projects/${project()}/tests?q=state:known`)).html,
    ]) {
      expect(elementsIn(html).map(textOf)[0]).to.contain(reason);
      expect(linksIn(html).filter((link) => !link.startsWith('/') && !link.startsWith('#'))).to.deep.equal([
        'https://bugs.example/SHOP-1?a=1&b=',
        'HTTP://b.example',
      ]);
    }
  });

  it('has no button in an inactive project, which takes no writes', async () => {
    const other = await givenProject(team.owner);
    const { results } = await givenSubmission(team.owner, other, [failure]);
    expect(actionOf(await rendered(results[0]!))).to.be.a('string');
    await givenInactive(team.owner, other);
    expect(actionOf(await rendered(results[0]!))).to.equal(undefined);
  });

  it('leads back to a page of the team only, whatever the form names', async () => {
    const { results } = await ran('led', [{ ...failure, name: 'led' }]);
    const action = actionOf(await rendered(results[0]!))!.replace(`/teams/${team.id}`, '');
    for (const result of ['//evil.example', '/evil', 'https://evil.example', 'result_1/../../..', '']) {
      const { reply } = await open(action, { form: { for: '7', reason: 'x', result } });
      const page = `/teams/${team.id}${action.replace(/\/known-failure$/, '')}`;
      expect(reply).to.deep.equal({ redirect: `${page}#known-failure` });
    }
  });

  it('has no form for a viewer', async () => {
    const { results } = await ran('viewed', [failure]);
    expect(actionOf(await rendered(results[0]!, 'viewer'))).to.equal(undefined);
  });

  it('ends after 1, 7 or 30 days, or when a day is over', () => {
    const now = new Date('2026-11-21T12:00:00.000Z');
    const end = (fields: Record<string, string>) => endOf(new URLSearchParams(fields), now);
    expect(end({ for: '1' })).to.equal('2026-11-22T12:00:00.000Z');
    expect(end({ for: '30' })).to.equal('2026-12-21T12:00:00.000Z');
    expect(end({ for: 'date', until: '2026-11-21' })).to.equal('2026-11-21T23:59:59.000Z');
    for (const until of ['2026-11-20', '', '21.11.2026', '2026-13-40']) {
      expect(end({ for: 'date', until })).to.equal(null);
    }
    expect(end({ for: '8' })).to.equal(null);
  });
});
