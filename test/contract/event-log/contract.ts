/** The promises of every event log: one suite for all adapters. The log may hold events of earlier tests. */
import type { EventLog } from '../../../src/ports/event-log.js';
import { appendingContract } from './append.js';
import { followingContract } from './follow.js';
import { headContract } from './head.js';
import { modelContract } from './model.js';
import { pagesContract } from './pages.js';
import { readingContract } from './read.js';
import { repeatingContract } from './repeat.js';
import type { OpenedLog, Subject } from './subject.js';

/** Declares the suite. `open` is called once. Each test uses teams of its own. */
export function eventLogContract(name: string, open: () => Promise<OpenedLog>): void {
  describe(`the event log: ${name}`, function () {
    let opened: OpenedLog;
    let log: EventLog;
    before(async () => {
      opened = await open();
      log = opened.log;
    });
    after(() => opened.close());

    const subject: Subject = {
      get log() {
        return log;
      },
      reopen: async () => {
        log = await opened.reopen();
      },
      openBeside: () => opened.openBeside(),
    };
    appendingContract(subject);
    repeatingContract(subject);
    readingContract(subject);
    pagesContract(subject);
    headContract(subject);
    followingContract(subject);
    modelContract(subject);
  });
}
