import Router from '@koa/router';
import { expect } from 'chai';
import { routeFinder } from '../../src/http/find-route.js';
import { testServer } from './server.js';

describe('the search for a route', () => {
  const server = testServer();

  function routerOf(routes: readonly string[]): Router {
    const router = new Router({ sensitive: true });
    for (const route of routes) {
      const [method, path] = route.split(' ') as [string, string];
      router.register(path, [method], () => undefined);
    }
    return router;
  }

  function expectSame(router: Router, paths: readonly string[]): void {
    const find = routeFinder(router.stack);
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'PURGE']) {
        const [first] = router.match(path, method).pathAndMethod;
        expect(find(method, path), `${method} ${path}`).to.equal(first);
      }
    }
  }

  it('finds for each path the first of all routes that fit', () => {
    const routes = server.program.routes.map((route) => route.replace(/\?.*/, ''));
    const paths = [...new Set(routes.map((route) => route.split(' ')[1]!))];
    const asked = paths.flatMap((path) => {
      const known = path.replaceAll(/:\w+/g, 'x').replaceAll(/\*\w+/g, 'x/y');
      return [
        known,
        `${known}/`,
        `${known}//`,
        `${known}/x`,
        `/${known}`,
        known.toUpperCase(),
        known.slice(0, -1),
      ];
    });
    expectSame(routerOf(routes), [
      ...asked,
      '*',
      '',
      '/',
      '//',
      '/v1/test/resul%74/x',
      '/v1/test/result/%2F',
    ]);
  });

  it('finds it too where a parameter, a wildcard or an optional part comes before a literal one', () => {
    const routes = [
      'GET /:a/b',
      'GET /a/b',
      'GET /a/:b',
      'POST /a/b/c/d',
      'GET /a/*rest',
      'GET /a{/b}/c',
      'GET /{a/}b',
      'GET /:x',
      'GET /',
    ];
    const segments = ['a', 'b', 'c', 'd', 'x', ''];
    const paths = ['', '/a', '/b'].flatMap((start) =>
      segments.flatMap((one) => segments.map((other) => `${start}/${one}/${other}`)),
    );
    expectSame(routerOf(routes), [...paths, '/', '/a', '/b', '/x', '/a/b/c/d', '/a/b/c/e', '/c/b/a/d']);
  });
});
