import { expect } from 'chai';
import { measuredLog } from '../../src/log/measured-log.js';
import { AppError } from '../../src/errors.js';
import { temporaryFolder } from '../adapters/sqlite/log.folder.js';
import { newEvents, refusal } from '../contract/event-log/events.js';

describe('a measured log', () => {
  const folder = temporaryFolder();

  it('reports how long each append took and how it ended, and changes nothing about it', async () => {
    const measures: [outcome: string, sane: boolean][] = [];
    const opened = await folder.open();
    let broken = false;
    const away = new AppError('log_unavailable', 'It is away.');
    const append: typeof opened.append = (...call) =>
      broken ? Promise.reject(away) : opened.append(...call);
    const log = measuredLog({ ...opened, append }, (milliseconds, outcome) => {
      measures.push([outcome, milliseconds >= 0 && milliseconds < 60_000]);
    });
    const stream = 'run-team_1.run_1';
    expect((await log.append(stream, 'none', newEvents(2))).revision).to.equal(1);
    await refusal(log.append(stream, 'none', newEvents(1)), 'wrong_revision');
    broken = true;
    await refusal(log.append(stream, 1, newEvents(1)), 'log_unavailable');
    expect(measures).to.deep.equal([
      ['ok', true],
      ['refused', true],
      ['failed', true],
    ]);
    expect((await log.readStream(stream)).events).to.have.length(2);
  });
});
