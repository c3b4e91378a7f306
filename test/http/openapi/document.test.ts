import { expect } from 'chai';
import { faultsOf, openApi } from '../conformity.js';
import { blobRoutesMounted, testServer } from '../../kit/server.js';

describe('the OpenAPI document', () => {
  const server = testServer();

  it('is answered without a key, as docs/openapi.json has it', async () => {
    const { status, body } = await server.as(null).get('/openapi.json');
    expect(status).to.equal(200);
    const files = blobRoutesMounted().length > 0;
    const paths = Object.entries(openApi.paths).filter(([path]) => files || !path.startsWith('/v1/blobs/'));
    expect(body).to.deep.equal({ ...openApi, paths: Object.fromEntries(paths) });
  });

  it('has every route that the server has mounted, and nothing else', async () => {
    const { body } = await server.as(null).get('/openapi.json');
    const documented = Object.entries(body.paths as typeof openApi.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${mountedAs(path)}`),
    );
    const mounted = server.program.routes.filter((route) => !route.includes('?'));
    expect(documented).to.have.members(mounted);
  });

  it('has the query parameter of each route that one selects', () => {
    const selected = server.program.routes.filter((route) => route.includes('?'));
    expect(selected.length).to.be.above(3);
    for (const route of selected) {
      const [, method, path, name] = /^(\w+) (.+)\?(.+)$/.exec(route)!;
      const operation = openApi.paths[`${path}/`]?.[method!.toLowerCase()];
      const names = operation?.parameters.map((one) => one.name);
      expect(names, route).to.include(name);
    }
  });

  it('names each operation once', () => {
    const ids = Object.values(openApi.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).to.equal(ids.length);
    for (const id of ids) expect(id).to.match(/^[a-z][A-Za-z]+$/);
  });

  it('has examples that are valid', () => {
    const withExamples = Object.entries(openApi.components.schemas).filter(([, { examples }]) => examples);
    expect(withExamples.length).to.be.above(40);
    for (const [name, { examples }] of withExamples) {
      for (const example of examples!) expect(faultsOf(name, example), name).to.deep.equal([]);
    }
  });
});

/** `/v1/test/run/{test_run_id}` is mounted as `/v1/test/run/:test_run_id`. */
function mountedAs(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/(.)\/$/, '$1');
}
