import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { columnsOf, type Row } from '../../../src/queries/tables/columns.js';
import { openParquet } from '../../../src/queries/tables/parquet.js';

describe('a table as Parquet', () => {
  it('has the rows of all its groups, with the types of their columns', async () => {
    const columns = columnsOf('results', true);
    const cells = {
      text: 'é, "x"',
      integer: 2 ** 40,
      boolean: true,
      instant: '2026-11-29T12:00:00.123Z',
      json: '[1]',
    };
    const rows = Array.from({ length: 5 }, (_, n): Row => {
      // Each column has some without a value.
      return columns.map(({ type }, at) => ((at + n) % 5 === 0 ? null : cells[type]));
    });
    const file = openParquet(columns);
    const bytes = Buffer.concat([file.group(rows.slice(0, 2)), file.group(rows.slice(2)), file.end()]);
    const read = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
    const shown = { ...cells, integer: 2n ** 40n, instant: new Date(cells.instant) };
    const expected = rows.map((row) =>
      Object.fromEntries(
        columns.map(({ name, type }, at) => [name, row[at] === null ? undefined : shown[type]]),
      ),
    );
    expect(read.map(withoutNull)).to.deep.equal(expected);
  });

  it('may have no rows', async () => {
    const bytes = Buffer.from(openParquet(columnsOf('runs', false)).end());
    expect(bytes.toString('latin1', bytes.length - 4)).to.equal('PAR1');
  });
});

/** A reader may give null or undefined for a cell without a value. */
function withoutNull(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined]));
}
