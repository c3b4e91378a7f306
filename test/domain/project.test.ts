import { expect } from 'chai';
import type { ProjectEvent } from '../../src/domain/events.js';
import type { GateChange, OwnGate } from '../../src/domain/gate/settings.js';
import { mustTakeWrites, project } from '../../src/domain/project.js';
import { NOW, refusalOf, specification, type Happened } from './given.js';
import { idOf } from './ids.js';

const given = specification(project);
const project_id = idOf('project');
const created = {
  type: 'ProjectCreated',
  data: { project_id, name: 'Shop', description: 'The shop', default_branch: 'main' },
} as const satisfies Happened<ProjectEvent>;
const turned = (from: 'Active' | 'Inactive', to: 'Active' | 'Inactive') =>
  ({ type: 'ProjectStatusChanged', data: { project_id, previous_status: from, status: to } }) as const;
const described = (data: {
  name?: string;
  description?: string | null;
  default_branch?: string;
  gate?: OwnGate;
}) => ({ type: 'ProjectDescribed', data: { project_id, ...data } }) as const;

describe('a project', () => {
  const create = { type: 'CreateProject', project_id, name: 'Shop', description: 'The shop' } as const;

  it('begins active, with the fields that were sent', () => {
    given().when(create).happens(created);
    given().when(create).changes({
      life: 'present',
      project_id,
      name: 'Shop',
      description: 'The shop',
      default_branch: 'main',
      repo_url: null,
      gate: {},
      retention: {},
      status: 'Active',
      trusts: [],
      created_at: NOW,
    });
  });

  it('has the default branch that was sent, and can change it', () => {
    const own = { ...created, data: { ...created.data, default_branch: 'trunk' } };
    given()
      .when({ ...create, default_branch: 'trunk' })
      .happens(own);
    given(own)
      .when({ type: 'ChangeProject', default_branch: 'main' })
      .happens(described({ default_branch: 'main' }));
    given(own).when({ type: 'ChangeProject', default_branch: 'main' }).changes({ default_branch: 'main' });
    given(own).when({ type: 'ChangeProject', default_branch: 'trunk' }).nothingHappens();
  });

  it('keeps the settings of the gate that are not named, and gives all of them back to the team by null', () => {
    const set = (gate: GateChange) => ({ type: 'ChangeProject', gate }) as const;
    given(created)
      .when(set({ fail_on: 'any' }))
      .happens(described({ gate: { fail_on: 'any' } }));
    const any = described({ gate: { fail_on: 'any' } });
    given(created, any)
      .when(set({ max_removed: null }))
      .happens(described({ gate: { fail_on: 'any', max_removed: null } }));
    given(created, any)
      .when(set({ fail_on: 'any' }))
      .nothingHappens();
    given(created, any)
      .when(set(null))
      .happens(described({ gate: {} }));
    given(created).when(set(null)).nothingHappens();
  });

  it('is refused if it exists already', () => given(created).when(create).refused('write_conflict'));

  it('takes no command before it is created', () =>
    given().when({ type: 'ChangeProject', name: 'Other' }).refused('not_found'));

  it('records only the fields that differ, the status last', () => {
    given(created)
      .when({ type: 'ChangeProject', name: 'Store', description: 'The shop', status: 'Inactive' })
      .happens(described({ name: 'Store' }), turned('Active', 'Inactive'));
    given(created)
      .when({ type: 'ChangeProject', name: 'Shop', description: null })
      .happens(described({ description: null }));
  });

  it('takes changes of itself while it is inactive, and can become active again', () => {
    const inactive = given(created, turned('Active', 'Inactive'));
    inactive.when({ type: 'ChangeProject', name: 'Store' }).changes({ name: 'Store' });
    inactive.when({ type: 'ChangeProject', status: 'Active' }).happens(turned('Inactive', 'Active'));
    inactive.when({ type: 'ChangeProject', status: 'Active' }).changes({ status: 'Active' });
  });

  it('takes writes below it only while it is active', () => {
    const refused = (...history: Happened<ProjectEvent>[]) =>
      refusalOf(() => mustTakeWrites(given(...history).state())).code;
    expect(() => mustTakeWrites(given(created).state())).not.to.throw();
    expect(() =>
      mustTakeWrites(given(created, turned('Active', 'Inactive'), turned('Inactive', 'Active')).state()),
    ).not.to.throw();
    expect(refused(created, turned('Active', 'Inactive'))).to.equal('project_inactive');
    expect(refused()).to.equal('not_found');
  });
});
