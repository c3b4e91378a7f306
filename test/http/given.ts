/** What a test needs to be there already. */
import { expect } from 'chai';
import type { Answer, Api } from './client.js';

/** The id of a new project. */
export async function givenProject(api: Api, fields: object = {}): Promise<string> {
  return made(await api.post('/v1/projects', { name: 'A project', ...fields }), 201).data.id;
}

/** A new run, as it was answered. */
export async function givenRun(api: Api, project_id: string, fields: object = {}): Promise<any> {
  return made(await api.post('/v1/test/run/', { project_id, ...fields }), 200);
}

/** A new result, as it was answered; `Passed` unless `fields` say otherwise. */
export async function givenResult(api: Api, project_id: string, fields: object = {}): Promise<any> {
  const body = { project_id, test_name: 'A test', status: 'Passed', ...fields };
  return made(await api.post('/v1/test/result/', body), 200);
}

/** The text of a new key of this role. */
export async function givenKey(api: Api, role: string): Promise<string> {
  return made(await api.post('/v1/keys', { name: `A ${role}`, role }), 201).data.key;
}

/** Makes a project take no more writes. */
export async function givenInactive(api: Api, project_id: string): Promise<void> {
  made(await api.patch(`/v1/projects/${project_id}`, { status: 'inactive' }), 200);
}

function made({ status, body, text }: Answer, wanted: number): any {
  expect(status, text).to.equal(wanted);
  return body;
}
