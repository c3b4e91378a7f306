import { expect } from 'chai';
import { maySee, mayUse, reachesNoFurther } from '../../../src/domain/teams/access.js';

describe('what a key may do', () => {
  const post = { role: 'member', reporter: true } as const;
  const read = { role: 'viewer', reporter: true } as const;
  const replay = { role: 'viewer' } as const;

  it('is, for a reporter, what is marked for reporters, whatever the lowest role', () => {
    const reporter = { role: 'reporter', person_role: null } as const;
    expect([post, read, replay].map((demand) => mayUse(reporter, demand))).to.deep.equal([true, true, false]);
  });

  it('is what its role and the role of its person share', () => {
    const ofViewer = { role: 'reporter', person_role: 'viewer' } as const;
    expect([post, read, replay].map((demand) => mayUse(ofViewer, demand))).to.deep.equal([
      false,
      true,
      false,
    ]);
  });

  it('covers nothing of the whole team for a key of some projects', () => {
    const narrowed = { project_ids: ['a'] };
    expect(['a', 'b', null].map((project) => maySee(narrowed, project))).to.deep.equal([true, false, false]);
    expect([['a'], ['a', 'b'], null].map((reach) => reachesNoFurther(narrowed, reach))).to.deep.equal([
      true,
      false,
      false,
    ]);
  });
});
