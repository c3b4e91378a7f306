import { expect } from 'chai';
import * as fc from 'fast-check';
import { normaliseInstant } from '../../src/domain/instant.js';

describe('an instant', () => {
  for (const [text, expected] of [
    ['2026-11-21T01:02:03.456Z', '2026-11-21T01:02:03.456Z'],
    ['2026-11-21T01:02:03Z', '2026-11-21T01:02:03.000Z'],
    ['2026-11-21t01:02:03z', '2026-11-21T01:02:03.000Z'],
    ['2026-11-21 01:02:03Z', '2026-11-21T01:02:03.000Z'],
    ['2026-11-21T01:02:03.4Z', '2026-11-21T01:02:03.400Z'],
    ['2026-11-21T01:02:03.0451Z', '2026-11-21T01:02:03.045Z'],
    ['2026-11-21T01:02:03.999999999Z', '2026-11-21T01:02:03.999Z'],
    ['2026-11-21T01:02:03+02:00', '2026-11-20T23:02:03.000Z'],
    ['2026-11-21T01:02:03.5-23:59', '2026-11-22T01:01:03.500Z'],
    ['2026-11-21T01:02:03+05:30', '2026-11-20T19:32:03.000Z'],
    ['2026-11-21T01:02:03-00:00', '2026-11-21T01:02:03.000Z'],
    ['2026-11-21T01:02:03+23:59', '2026-11-20T01:03:03.000Z'],
    ['2025-12-31T23:59:59.999-00:01', '2026-01-01T00:00:59.999Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    it(`${text} is stored as ${expected}`, () => expect(normaliseInstant(text)).to.equal(expected));
  }

  it('in a leap second becomes the first moment after it, whatever its offset and fraction', () => {
    expect(normaliseInstant('2016-12-31T23:59:60Z')).to.equal('2017-01-01T00:00:00.000Z');
    expect(normaliseInstant('2016-12-31T23:59:60.999Z')).to.equal('2017-01-01T00:00:00.000Z');
    expect(normaliseInstant('1990-12-31T15:59:60-08:00')).to.equal('1991-01-01T00:00:00.000Z');
  });

  it('may be on the 29th of February in leap years only', () => {
    const taken = (year: string) => normaliseInstant(`${year}-02-29T00:00:00Z`) !== null;
    for (const year of ['2024', '2000', '2400', '0004', '0000']) expect(taken(year), year).to.equal(true);
    for (const year of ['2023', '2026', '1900', '2100', '0100']) expect(taken(year), year).to.equal(false);
  });

  it('may be on the last day of each month, and not on the day after it', () => {
    const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    lengths.forEach((days, index) => {
      const day = (n: number) =>
        `2026-${String(index + 1).padStart(2, '0')}-${String(n).padStart(2, '0')}T00:00:00Z`;
      expect(normaliseInstant(day(days)), day(days)).to.equal(day(days).replace('Z', '.000Z'));
      expect(normaliseInstant(day(days + 1)), day(days + 1)).to.equal(null);
    });
  });

  for (const text of [
    '',
    'now',
    '2026-11-21',
    '2026-11-21T01:02:03',
    '2026-11-21T01:02Z',
    '2026-11-21T01Z',
    '20261121T010203Z',
    '2026-W47-6T01:02:03Z',
    '2026-325T01:02:03Z',
    '26-11-21T01:02:03Z',
    '+002026-11-21T01:02:03Z',
    '-2026-11-21T01:02:03Z',
    '2026-1-21T01:02:03Z',
    '2026-00-21T01:02:03Z',
    '2026-13-21T01:02:03Z',
    '2026-11-00T01:02:03Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T01:60:03Z',
    '2026-11-21T01:02:61Z',
    '2026-11-21T01:02:03.Z',
    '2026-11-21T01:02:03,5Z',
    '2026-11-21T01:02:03+0200',
    '2026-11-21T01:02:03+02',
    '2026-11-21T01:02:03+24:00',
    '2026-11-21T01:02:03+01:60',
    '2026-11-21T01:02:03−01:00',
    ' 2026-11-21T01:02:03Z',
    '2026-11-21T01:02:03Z ',
    '2026-11-21T01:02:03Z\n',
    '2026-11-21_01:02:03Z',
    '２０２６-11-21T01:02:03Z',
    '٢٠٢٦-11-21T01:02:03Z',
    '1774000000000',
  ]) {
    it(`${JSON.stringify(text)} is not valid`, () => expect(normaliseInstant(text)).to.equal(null));
  }

  it('is not valid if its offset moves it out of the four-digit years', () => {
    expect(normaliseInstant('0000-01-01T00:00:00+00:01')).to.equal(null);
    expect(normaliseInstant('9999-12-31T23:59:59-00:01')).to.equal(null);
    expect(normaliseInstant('9999-12-31T23:59:60Z')).to.equal(null);
  });

  it('stays the same moment, and is not changed by a second normalisation', () => {
    const range = { min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString();
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const zone = [hours, minutes].map((n) => String(n).padStart(2, '0')).join(':');
        const text = local.replace('Z', `${offset < 0 ? '-' : '+'}${zone}`);
        expect(normaliseInstant(text)).to.equal(date.toISOString());
        expect(normaliseInstant(date.toISOString())).to.equal(date.toISOString());
      }),
    );
  });

  it('sorts as text in the order of time', () => {
    const range = { min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), fc.date(range), (one, other) => {
        const [a, b] = [one, other].map((date) => normaliseInstant(date.toISOString()) ?? '');
        expect(a! < b!).to.equal(one.getTime() < other.getTime());
      }),
    );
  });

  it('takes any text without an exception', () => {
    const part = fc.constantFrom('2026', '-', '11', '21', 'T', ':', '03', '.', 'Z', '+', '99', '', ' ', 'é');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 16 }), (parts) => {
        const answer = normaliseInstant(parts.join(''));
        if (answer !== null) expect(answer).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
    );
  });
});
