"""Runs each statement of the standard input in DuckDB, and reads the same files by pyarrow, pandas and polars."""

import glob
import json
import sys

import duckdb
import pandas
import polars
import pyarrow.compute
import pyarrow.parquet

FILES = "results/**/*.parquet"

database = duckdb.connect()
rows = []
for statement in json.load(sys.stdin):
    rows.append(len(database.execute(statement).fetchall()))

names = glob.glob(FILES, recursive=True)
counted = f"SELECT count(*), sum(duration_ms)::BIGINT FROM read_parquet('{FILES}')"
arrow = pyarrow.concat_tables(pyarrow.parquet.ParquetFile(name).read() for name in names)
frame = pandas.concat(pandas.read_parquet(name) for name in names)
table = polars.read_parquet(FILES)
readers = {
    "duckdb": database.sql(counted).fetchall()[0],
    "pyarrow": (arrow.num_rows, pyarrow.compute.sum(arrow["duration_ms"]).as_py()),
    "pandas": (len(frame), frame["duration_ms"].sum()),
    "polars": (table.height, table["duration_ms"].sum()),
}
print(json.dumps({"rows": rows, "readers": {name: [int(n) for n in found] for name, found in readers.items()}}))
