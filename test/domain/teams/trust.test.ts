import { expect } from 'chai';
import { decideTrust, matchesWildcards } from '../../../src/domain/teams/trust.js';
import { fastest } from '../../processor-time.js';

describe('a trust', () => {
  it('has `*` for any text without a slash, and `**` for any text', () => {
    const good: [string, string][] = [
      ['acme/shop', 'acme/shop'],
      ['acme/*', 'acme/shop'],
      ['refs/heads/*', 'refs/heads/main'],
      ['refs/**', 'refs/heads/a/b'],
      ['repo:acme/shop:**', 'repo:acme/shop:ref:refs/heads/main'],
      ['*/*', 'a/b'],
      ['a*c*e', 'abcde'],
      ['**', ''],
    ];
    for (const [pattern, text] of good) expect(matchesWildcards(pattern, text), pattern).to.equal(true);
    const wrong: [string, string][] = [
      ['acme/*', 'acme/a/b'],
      ['acme/*', 'acme-evil/shop'],
      ['acme/shop', 'acme/shopx'],
      ['acme/shop', 'xacme/shop'],
      ['acme.shop', 'acmexshop'],
      ['*', 'a/b'],
      ['a', ''],
      ['', 'a'],
      ['acme/shop', 'acme/shop\n'],
    ];
    for (const [pattern, text] of wrong) expect(matchesWildcards(pattern, text), pattern).to.equal(false);
  });

  it('is compared in a moment, whatever its wildcards', () => {
    const took = fastest(() =>
      expect(matchesWildcards(`${'*a'.repeat(127)}b`, 'a'.repeat(8_000))).to.equal(false),
    );
    expect(took).to.be.below(2_000);
  });

  const add = (claims: Record<string, string>) =>
    decideTrust(
      { project_id: 'project_1', trusts: [] },
      { type: 'AddTrust', trust_id: 'trust_1', issuer: 'https://ci.example', audience: 'us', claims },
    );

  it('names an owner before its first wildcard', () => {
    for (const claims of [
      { repository: 'acme/shop' },
      { repository: 'acme/*' },
      { project_path: 'acme/**' },
      { repository_id: '12' },
      { repository_owner_id: '7', repository: '*/*' },
      { project_id: '9' },
      { sub: 'repo:acme/shop:ref:refs/heads/main' },
      { sub: 'repo:acme/*:ref:refs/heads/main' },
      { sub: 'project_path:acme/shop:**' },
      { sub: 'org/5f1c/project/**' },
    ])
      expect(add(claims)).to.have.length(1);
  });

  it('is refused where it would let in strangers', () => {
    for (const claims of [
      { ref: 'refs/heads/main' },
      { repository: '*' },
      { repository: '**' },
      { repository: '*/*' },
      { repository: '*/shop' },
      { repository: 'acme*/shop' },
      { repository_owner_id: '*' },
      { repository_owner_id: '7*' },
      { sub: '**' },
      { sub: 'repo:*' },
      { sub: 'repo:acme**' },
      { sub: 'project_path:**' },
    ])
      expect(() => add(claims), JSON.stringify(claims)).to.throw(/claims/);
  });
});
