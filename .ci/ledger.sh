# Sourced by `.ci/run`: a testledger of this checkout, to which the suites post their own results, as four shards of one
# run. It has its data in a folder of its own, and ends with the gate.
ledger_folder=$(mktemp -d)
ledger_pid=''
testledger() { node dist/program/cli.js "$@"; }

stop_ledger() {
  [ -z "$ledger_pid" ] || kill "$ledger_pid" 2>/dev/null || true
  [ -z "$ledger_pid" ] || wait "$ledger_pid" 2>/dev/null || true
  rm -rf "$ledger_folder"
}

# It is silent while the tests run, and takes any free port.
start_ledger() {
  local key
  key=$(testledger keys generate)
  env -i PATH="$PATH" PORT=0 DATA_DIR="$ledger_folder/data" BOOTSTRAP_API_KEY="$key" RATE_LIMIT=off \
    node dist/program/main.js >"$ledger_folder/log" 2>&1 &
  ledger_pid=$!
  local up=''
  for _ in $(seq 600); do
    up=$(sed -n 's/.*"url":"\([^"]*\)".*"msg":"testledger is up".*/\1/p' "$ledger_folder/log")
    [ -z "$up" ] || break
    kill -0 "$ledger_pid" 2>/dev/null || break
    sleep 0.1
  done
  [ -n "$up" ] || { cat "$ledger_folder/log"; echo 'testledger did not start'; exit 1; }
  export OWN_LEDGER_URL=$up OWN_LEDGER_API_KEY=$key OWN_LEDGER_RUN_KEY="gate $(git rev-parse --short HEAD)"
  OWN_LEDGER_PROJECT=$(on_ledger testledger --json projects create testledger |
    node -p 'JSON.parse(fs.readFileSync(0, "utf8")).project.id')
  export OWN_LEDGER_PROJECT
}

# The tests do not get these variables: those of the command line and of the reporters would post to this server.
on_ledger() {
  TESTLEDGER_URL=$OWN_LEDGER_URL TESTLEDGER_API_KEY=$OWN_LEDGER_API_KEY "$@"
}

# Arguments: the number of tests that mocha counted, and the number of shards.
show_ledger() {
  local project
  for project in testledger pytest-testledger; do
    step "testledger gate: $project"
    on_ledger testledger gate --fail-on any --require-upload --project "$project" --run-key "$OWN_LEDGER_RUN_KEY"
    step "testledger summary: $project"
    on_ledger testledger summary --format markdown --project "$project" --run-key "$OWN_LEDGER_RUN_KEY"
  done
  step 'the run read back agrees with mocha'
  node dist/test/own-run/check.js "$@"
}
