import { expect } from 'chai';
import { keepMoment, pathsWithMoment } from '../../../src/dashboard/past/keep-moment.js';

describe('the moment of a page', () => {
  const kept = pathsWithMoment(['/teams/:team/runs/:run']);
  const keep = (html: string) => keepMoment(html, '2026-01-01T00:00:00+00:00', kept);
  const as_of = 'as_of=2026-01-01T00%3A00%3A00%2B00%3A00';

  it('is added to links that lead to such pages, with and without a query', () => {
    expect(keep('<a href="/teams/t/runs/r">x</a>')).to.equal(`<a href="/teams/t/runs/r?${as_of}">x</a>`);
    expect(keep('<a class="a" href="/teams/t/runs/r?page=2#b">x</a>')).to.equal(
      `<a class="a" href="/teams/t/runs/r?page=2&amp;${as_of}#b">x</a>`,
    );
  });

  it('stays away from other pages, from other hosts, and from what leads to now or to a moment', () => {
    for (const html of [
      '<a href="/teams/t/projects/p">x</a>',
      '<a href="https://example.org/teams/t/runs/r">x</a>',
      '<a data-now href="/teams/t/runs/r">x</a>',
      '<a href="/teams/t/runs/r?as_of=1">x</a>',
      '<p>href="/teams/t/runs/r"</p>',
    ])
      expect(keep(html)).to.equal(html);
  });

  it('is a hidden field of forms that search', () => {
    const field = '<input type="hidden" name="as_of" value="2026-01-01T00:00:00+00:00"/>';
    expect(keep('<form method="get">')).to.equal(`<form method="get">${field}`);
    expect(keep('<form action="/teams/t/search" method="get">')).to.equal(
      '<form action="/teams/t/search" method="get">',
    );
    expect(keep('<form method="post">')).to.equal('<form method="post">');
  });
});
