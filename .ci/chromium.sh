# Sourced by `.ci/run`: makes sure that there is a Chromium for the tests of the pages.
has_chromium() {
  [ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && return
  command -v chromium chromium-browser google-chrome >/dev/null
}

install_chromium() {
  has_chromium && return
  local sudo=''
  [ "$(id -u)" = 0 ] || sudo='sudo -n'
  command -v apt-get >/dev/null && $sudo apt-get update -q && $sudo apt-get install -qy --no-install-recommends chromium ||
    true
  has_chromium || {
    echo 'Chromium is missing, and apt could not install it. Install it, or set CHROMIUM to its path.'
    exit 1
  }
}
