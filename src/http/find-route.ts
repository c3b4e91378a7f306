/** Finds the route of a request: among few, because @koa/router tries the pattern of each of its routes in turn. */
import type Router from '@koa/router';
import type { Middleware } from 'koa';

type Layer = Router['stack'][number];

/** Calls the handler of the first route that fits, with `ctx.params`. Other requests go on to the next middleware. */
export function callRoutes(router: Router): Middleware {
  const find = routeFinder(router.stack);
  return (ctx, next) => {
    const { path } = ctx;
    const layer = find(ctx.method, path);
    if (layer === undefined) return next();
    ctx['params'] = layer.params(path, layer.captures(path));
    // Each has one handler, which answers. The router would compose a chain of it for every request.
    return layer.stack[0]!(ctx as never, next);
  };
}

/** Finds the same route as a look at all of them in their order. */
export function routeFinder(layers: readonly Layer[]): (method: string, path: string) => Layer | undefined {
  const groups = new Map<string, Layer[]>();
  for (const { path, methods } of layers) {
    const beginning = literalBeginning(String(path));
    for (const method of methods) {
      const fitting = layers.filter((each) => each.methods.includes(method) && mayFit(each, beginning));
      groups.set(`${method} ${beginning}`, fitting);
    }
  }
  return (method, path) => {
    const group = groupOf(groups, method, path);
    if (group !== null) return group.find((layer) => layer.match(path));
    return layers.find((layer) => layer.methods.includes(method) && layer.match(path));
  };
}

/** The segments at the beginning of a path that tell the routes apart. */
const MOST_SEGMENTS = 3;

/** The group with the longest beginning that the path has. */
function groupOf(groups: ReadonlyMap<string, Layer[]>, method: string, path: string): Layer[] | null {
  let end = 0;
  for (let n = 0; n < MOST_SEGMENTS && end !== -1; n += 1) end = path.indexOf('/', end + 1);
  let beginning = end === -1 ? path : path.slice(0, end);
  while (beginning !== '') {
    const group = groups.get(`${method} ${beginning}`);
    if (group !== undefined) return group;
    beginning = beginning.slice(0, beginning.lastIndexOf('/'));
  }
  return null;
}

/** Of `/v1/test/result/:id` it is `/v1/test/result`. */
function literalBeginning(path: string): string {
  const segments = path.split('/').slice(1, 1 + MOST_SEGMENTS);
  const end = segments.findIndex((segment) => !isLiteral(segment));
  return `/${(end === -1 ? segments : segments.slice(0, end)).join('/')}`;
}

/** Whether a path with this beginning may be one of the route. */
function mayFit({ path }: Layer, beginning: string): boolean {
  if (/[*{(]/.test(String(path))) return true;
  const pattern = String(path).split('/');
  const segments = beginning.split('/');
  return segments.every((segment, n) => {
    const own = pattern[n];
    return own !== undefined && (own === segment || !isLiteral(own));
  });
}

/** Other characters may have a meaning in a pattern. */
function isLiteral(segment: string): boolean {
  return /^[\w.-]*$/.test(segment);
}
