import { expect } from 'chai';
import { ownLines, stackParts } from '../../../src/domain/failures/fold-stack.js';

const folded = (stack: string) => stackParts(stack).map(({ foreign, lines }) => [foreign, lines.length]);

describe('a folded stack', () => {
  it('has the frames of packages and of the runtime apart', () => {
    const stack = [
      'Error: no',
      '    at pay (src/pay.ts:1:2)',
      '    at run (/app/node_modules/mocha/lib/runner.js:10:3)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      '    at main (src/main.ts:3:4)',
    ].join('\n');
    expect(folded(stack)).to.deep.equal([
      [false, 2],
      [true, 2],
      [false, 1],
    ]);
    expect(ownLines(stack)).to.have.length(3);
  });

  it('keeps the source that Python shows with its frame', () => {
    const stack = [
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/site-packages/flask/app.py", line 3, in call',
      '    return self.run()',
      '  File "shop/cart.py", line 9, in total',
      '    raise ValueError()',
      'ValueError',
    ].join('\n');
    expect(folded(stack)).to.deep.equal([
      [false, 1],
      [true, 2],
      [false, 3],
    ]);
  });

  it('folds the JDK and the rest that Java leaves out', () => {
    const stack = [
      'java.lang.IllegalStateException: no',
      '\tat com.shop.Order.total(Order.java:12)',
      '\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)',
      '\tat org.junit.jupiter.engine.Runner.run(Runner.java:9)',
      '\t... 23 more',
    ].join('\n');
    expect(folded(stack)).to.deep.equal([
      [false, 2],
      [true, 3],
    ]);
  });

  it('folds nothing where no frame is own, and loses no line', () => {
    const stack = 'Error: no\n    at a (node_modules/x/y.js:1:1)\n    at b (node:fs:1:1)';
    expect(folded(stack)).to.deep.equal([[false, 3]]);
    const all = stackParts(stack).flatMap(({ lines }) => lines);
    expect(all.join('\n')).to.equal(stack);
  });
});
