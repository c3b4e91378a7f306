import { expect } from 'chai';
import { nextPath } from '../../src/dashboard/next-path.js';

describe('the path after a sign-in', () => {
  it('is a path of this server with its query', () => {
    for (const path of [
      '/',
      '/teams/team_1',
      '/teams/team_1/runs/run_1?page=2&q=a%20b',
      '/a#b',
      '/x?next=//evil.example',
    ])
      expect(nextPath(path)).to.equal(path);
  });

  it('never leads to another host', () => {
    const hostile = [
      null,
      '',
      'evil.example',
      'https://evil.example',
      'https:evil.example',
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\/evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '\t//evil.example',
      ' //evil.example',
      '/.//evil.example',
      '/..//evil.example',
      '/a/..//evil.example',
      '/%2e//evil.example',
      '/./\\evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      '//user@evil.example',
      '//[',
      '/\u0000/evil.example',
    ];
    for (const next of hostile) {
      const path = nextPath(next);
      const { host } = new URL(path, 'https://this.example');
      expect(host, String(next)).to.equal('this.example');
      expect(path, String(next)).to.match(/^\/(?![/\\])/);
    }
  });

  it('has only signs that a header may have', () => {
    expect(nextPath('/a\r\nSet-Cookie: x=y')).to.not.match(/[\r\n]/);
    expect(nextPath('/ä/日本')).to.equal('/%C3%A4/%E6%97%A5%E6%9C%AC');
  });
});
