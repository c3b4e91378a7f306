#!/usr/bin/env bash
# Checks and tests the plugin in a virtual environment of its own. With arguments, it passes them to pytest instead:
# `clients/pytest/test.sh tests/test_names.py`. The server must have been built (`npm run build`).
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
key=$(cat requirements.txt pyproject.toml <(python3 --version) <(pwd) | sha256sum | cut -c1-12)
venv="$root/.cache/pytest/$key"
python="$venv/bin/python"

if [ ! -e "$venv/ready" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$python" -m pip install --quiet --disable-pip-version-check --no-input -r requirements.txt
  # The project itself, so that pytest finds its entry point.
  "$python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation -e .
  touch "$venv/ready"
fi

export TESTLEDGER_MAIN="${TESTLEDGER_MAIN:-$root/dist/program/main.js}"
if [ $# -gt 0 ]; then
  exec "$python" -m pytest "$@"
fi
"$python" -m ruff check .
"$python" -m ruff format --check .
"$python" -m mypy
# The two sessions post their own results, where a testledger for that runs: as two shards of one run.
session() {
  local -a own=()
  if [ -n "${OWN_LEDGER_URL:-}" ]; then
    own=(--testledger-url="$OWN_LEDGER_URL" --testledger-project="$OWN_LEDGER_PROJECT"
      --testledger-run-key="$OWN_LEDGER_RUN_KEY" --testledger-shard="$2")
  fi
  TESTLEDGER_API_KEY="${OWN_LEDGER_API_KEY:-}" "$python" -m pytest -q "${own[@]}" "$1"
}
session tests 1/2
session server_tests 2/2
