# Sourced by `.ci/run`: makes sure that there is a Chromium for the tests of the pages, and an Xvfb, in which Cypress runs.
has_chromium() {
  [ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && return
  command -v chromium chromium-browser google-chrome >/dev/null
}

has_xvfb() { command -v Xvfb >/dev/null; }

install_by_apt() {
  local sudo=''
  [ "$(id -u)" = 0 ] || sudo='sudo -n'
  command -v apt-get >/dev/null && $sudo apt-get update -q && $sudo apt-get install -qy --no-install-recommends "$1" ||
    true
}

install_chromium() {
  has_chromium || install_by_apt chromium
  has_chromium || {
    echo 'Chromium is missing, and apt could not install it. Install it, or set CHROMIUM to its path.'
    exit 1
  }
}

install_xvfb() {
  has_xvfb || install_by_apt xvfb
  has_xvfb || {
    echo 'Xvfb is missing, and apt could not install it.'
    exit 1
  }
}
