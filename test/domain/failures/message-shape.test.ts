import { expect } from 'chai';
import { shapeOf } from '../../../src/domain/failures/message-shape.js';

describe('the shape of a message', () => {
  for (const [message, shape] of [
    ['expected 3 to equal -4.5e7', 'expected <n> to equal <n>'],
    ['expected +0 to be 1,660.25', 'expected <n> to be <n>'],
    ['took 950ms', 'took <n>'],
    ['took 1m30s', 'took <n>'],
    ["can't find 'a' or \"b c\" or “d”", "can't find <text> or <text> or <text>"],
    ["it's 'Anna\\'s' turn", "it's <text> turn"],
    ["undefined method `total' for nil", "undefined method `total' for nil"],
    ['assertion `left == right` failed', 'assertion `left == right` failed'],
    ['expected: <a<b>c> but was: <d>', 'expected: <text> but was: <text>'],
    ['3 < 4 and 4 > 3, a -> b, <= >=', '<n> < <n> and <n> > <n>, a -> b, <= >='],
    ['got [ 1, [ 2 ] ] and { a: { b: 1 } }', 'got <value> and <value>'],
    ['an open [ bracket', 'an open [ bracket'],
    ['order 3f2a9c1e-77aa-4a52-9b2e-1f0c2d3e4f5a', 'order <id>'],
    ['order run_01h455vb4pex5vsknk084sn02q', 'order run_<id>'],
    ['commit 44e4c8c1 at 0x7ffe12ab', 'commit <id> at <id>'],
    ['deadbeef is a word, decade too', 'deadbeef is a word, decade too'],
    ['at 2026-01-03T10:11:12.123Z', 'at <time>'],
    ['at 2026-01-03 10:11:12,5+01:00', 'at <time>'],
    ['at Sat Jan 03 2026 10:11:12 GMT+0100 (Central European Standard Time)', 'at <time>'],
    ['at Sat, 03 Jan 2026 10:11:12 GMT', 'at <time>'],
    ['on 1/3/2026', 'on <time>'],
    ['ENOENT: no such file, open /tmp/a-17/b.txt', 'ENOENT: no such file, open <path>'],
    ['open C:\\Temp\\a.txt', 'open <path>'],
    ['open src/a/b.ts', 'open <path>'],
    ['GET http://localhost:51324/orders/17?a=b', 'GET <path>'],
    ['a and/or b, text/html, n/a', 'a and/or b, text/html, n/a'],
    ['App\\Models\\Order is final', 'App\\Models\\Order is final'],
    ['  a \t b ', 'a b'],
  ] as const) {
    it(`of "${message}" is "${shape}"`, () => expect(shapeOf(message)).to.equal(shape));
  }
});
