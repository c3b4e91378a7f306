import { deepEqual } from 'node:assert';
import { After, Before, Given, Then, When } from '@cucumber/cucumber';

let tries = 0;

Before({ tags: '@locked' }, () => {
  throw new Error('the shop is locked');
});
After({ tags: '@picture' }, async function closes() {
  await this.attach('hello', 'text/plain');
});

Given('a cart with {int} things', function fills(count) {
  this.count = count;
});
When('{int} more are put in', function adds(count) {
  this.log(`added ${count}`);
  this.count += count;
});
Then('it has {int} things', function has(count) {
  deepEqual(this.count, count);
});
When('it is flaky', () => {
  tries += 1;
  if (tries === 1) throw new Error('first time');
});
When('it is pending', () => 'pending');
When('it is skipped', () => 'skipped');
