import { expect } from 'chai';
import { jsonReader } from '../../src/importers/json/reader.js';
import { ReportFault } from '../../src/importers/report.js';

describe('the reader of JSON', () => {
  it('passes on a fault of an importer, and does not call the report malformed', () => {
    const fault = new TypeError('a fault of the importer');
    const reader = jsonReader(['$.tests.*'], () => {
      throw fault;
    });
    expect(() => reader.write('{"tests":[1]}')).to.throw(fault);
  });

  it('calls a report malformed where a character or a value stands in a wrong place', () => {
    for (const text of ['{"tests":[1,]}', '{"tests":[1 2]}', '{"tests":tru!}', '{1:2}', '[]]']) {
      const reader = jsonReader(['$.tests.*'], () => undefined);
      expect(() => reader.write(text), text).to.throw(ReportFault, 'malformed');
    }
  });
});
