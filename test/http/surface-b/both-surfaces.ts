/** A team and its project on both surfaces. */
import { expect } from 'chai';
import { bodyOf, givenProject, givenSubmission, givenTeam } from '../given.js';
import { testServer, type Team, type TestServer } from '../../kit/server.js';

export type BothSurfaces = {
  readonly server: TestServer;
  readonly team: Team;
  readonly project: string;
  /** Submits a whole run. */
  submit(items: readonly object[], fields?: object): Promise<{ run: string; results: string[] }>;
  /** The body of a GET that must be 200. */
  get(path: string): Promise<any>;
  /** The body of a POST on surface A that must be accepted. */
  post(path: string, body?: object): Promise<any>;
  onA(result: string): Promise<any>;
  onB(result: string): Promise<any>;
  runOnA(run: string): Promise<any>;
  runOnB(run: string): Promise<any>;
};

/** Declares a server with a new team for the tests of the block around it. */
export function bothSurfaces(): BothSurfaces {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project = '';
  before(async () => {
    project = await givenProject(team.owner);
  });
  const get = (path: string) => bodyOf(team.owner, path);
  return {
    server,
    get team() {
      return team;
    },
    get project() {
      return project;
    },
    submit: (items, fields) => givenSubmission(team.owner, project, items, fields),
    get,
    async post(path, body = {}) {
      const answer = await team.owner.post(`/v1/test/${path}`, body);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    },
    onA: (id) => get(`/v1/test/result/${id}`),
    onB: async (id) => (await get(`/v1/test-results/${id}`)).data,
    runOnA: (id) => get(`/v1/test/run/${id}`),
    runOnB: async (id) => (await get(`/v1/test-runs/${id}`)).data,
  };
}
