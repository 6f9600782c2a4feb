#!/bin/sh
# The pages are tested in Chromium. On Debian as root it is installed where it is missing; elsewhere the tests of
# pages are skipped, and say so.
set -eu
if command -v chromium >/dev/null || command -v google-chrome >/dev/null; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
else
    echo "Chromium is not installed: the tests of pages in a browser will be skipped."
fi
