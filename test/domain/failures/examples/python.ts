import type { Example } from './example.js';

export const python: Example[] = [
  {
    framework: 'pytest',
    group: 'the total in pytest',
    error: {
      message: 'AssertionError: assert 3 == 4\n +  where 3 = total([1, 2])',
      stack: `    def test_total():
>       assert total([1, 2]) == 4
E       AssertionError: assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_orders.py:8: AssertionError`,
    },
  },
  {
    framework: 'pytest',
    group: 'the total in pytest',
    error: {
      type: 'AssertionError',
      message: 'assert 13 == 14\n +  where 13 = total([6, 7])',
      stack: `Traceback (most recent call last):
  File "/opt/hostedtoolcache/Python/3.12.1/x64/lib/python3.12/site-packages/_pytest/runner.py", line 341, in from_call
    result = func()
  File "/home/runner/work/shop/shop/tests/test_orders.py", line 9, in test_total
    assert total([6, 7]) == 14
AssertionError: assert 13 == 14`,
    },
  },
  {
    framework: 'pytest',
    group: 'membership in the same test of pytest',
    error: {
      message: "AssertionError: assert 'x' in ['a', 'b']",
      stack: `    def test_total():
>       assert 'x' in names
E       AssertionError: assert 'x' in ['a', 'b']

tests/test_orders.py:9: AssertionError
----------------------------- Captured stdout call -----------------------------
  File "/app/tests/other.py", line 3, in other`,
    },
  },
  {
    framework: 'pytest',
    group: 'the total in another test of pytest',
    error: {
      message: 'assert 3 == 4',
      stack: `    def test_discount():
>       assert discount() == 4
E       assert 3 == 4

tests/test_orders.py:18: AssertionError`,
    },
  },
  {
    framework: 'pytest',
    group: 'a key that is missing in the repository',
    error: {
      message: "KeyError: 'id'",
      stack: `    def test_find():
>       repo.find(1)

tests/test_repo.py:5: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def find(self, id):
>       return self.rows[id]['id']
E       KeyError: 'id'

src/shop/repo.py:12: KeyError`,
    },
  },
  {
    framework: 'pytest',
    group: 'a key that is missing in the repository',
    error: {
      message: "KeyError: 'name'",
      stack: `tests/test_other.py:5: in test_other
    repo.find(1)
src/shop/repo.py:14: in find
    return self.rows[id]['name']
E   KeyError: 'name'`,
    },
  },
  {
    framework: 'pytest',
    group: 'a key that is missing in the repository',
    error: {
      type: 'KeyError',
      stack: `Traceback (most recent call last):
  File "C:\\Users\\Anna\\code\\tests\\test_repo.py", line 5, in test_find
    repo.find(1)
  File "C:\\Users\\Anna\\code\\src\\shop\\repo.py", line 12, in find
    return self.rows[id]['id']
  File "C:\\Python312\\Lib\\site-packages\\rows\\rows.py", line 3, in __getitem__
KeyError: 'id'`,
    },
  },
  {
    framework: 'pytest',
    group: 'a second error in the handler of the first',
    error: {
      type: 'ValueError',
      message: 'no such order',
      stack: `Traceback (most recent call last):
  File "/app/src/shop/repo.py", line 12, in find
    return self.rows[id]
KeyError: 17

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/tests/test_api.py", line 5, in test_api
    api.get(17)
  File "/app/src/shop/api.py", line 30, in get
    raise ValueError('no such order')
ValueError: no such order`,
    },
  },
  {
    framework: 'pytest',
    group: 'a fixture that fails',
    file: 'tests/test_api.py',
    error: {
      hook: 'setup',
      message: 'failed on setup with "psycopg2.OperationalError: could not connect to server: 10.0.0.1"',
    },
  },
  {
    framework: 'pytest',
    group: 'a fixture that fails',
    file: '/home/runner/work/shop/shop/tests/test_api.py',
    error: {
      message: 'failed on setup with "psycopg2.OperationalError: could not connect to server: 10.0.0.9"',
    },
  },
  {
    framework: 'pytest',
    group: 'a fixture that fails in another way',
    file: 'tests/test_api.py',
    error: { hook: 'setup', message: 'failed on setup with "KeyError: \'url\'"' },
  },
  {
    framework: 'unittest',
    group: 'the total in unittest',
    error: {
      type: 'AssertionError',
      message: '3 != 4',
      stack: `Traceback (most recent call last):
  File "/app/tests/unit/test_total.py", line 9, in test_total
    self.assertEqual(total(), 4)
  File "/usr/lib/python3.11/unittest/case.py", line 873, in assertEqual
    assertion_func(first, second, msg=msg)
AssertionError: 3 != 4`,
    },
  },
  {
    framework: 'unittest',
    group: 'the total in unittest',
    error: {
      stack: `Traceback (most recent call last):
  File "/usr/local/lib/python3.11/unittest/case.py", line 57, in testPartExecutor
    yield
  File "/builds/team/shop/tests/unit/test_total.py", line 19, in test_total
    self.assertEqual(total(), 4)
AssertionError: 8 != 4`,
    },
  },
  {
    framework: 'unittest',
    group: 'two lists in unittest',
    error: {
      type: 'AssertionError',
      message: 'Lists differ: [1, 2] != [1, 3]\n\nFirst differing element 1:\n2\n3',
      stack:
        'Traceback (most recent call last):\n  File "/app/tests/unit/test_total.py", line 10, in test_total\n    self.assertEqual(a, b)\nAssertionError: Lists differ: [1, 2] != [1, 3]',
    },
  },
];
