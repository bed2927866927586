#!/bin/sh
# Installs what the tests need when it is missing and can be installed, or says
# what to install and fails. Nothing that should be tested is skipped.
set -eu
cd "$(dirname "$0")/.."

missing=""

# install COMMAND PACKAGE...: make COMMAND available from Debian's packages.
install() {
	cmd=$1
	shift
	command -v "$cmd" >/dev/null 2>&1 && return 0
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		echo "installing $*"
		DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null &&
			DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null || true
	fi
	command -v "$cmd" >/dev/null 2>&1 || missing="$missing\n  $cmd   (Debian, Ubuntu: apt-get install $*; macOS: brew install $(echo "$*" | sed 's/redis-server/redis/; s/nodejs npm/node/'))"
}

install redis-server redis-server
install node nodejs npm
install npm nodejs npm
if [ -n "$missing" ]; then
	printf 'The tests need programs that are not here:%b\nInstall them and run make test again.\n' "$missing" >&2
	exit 1
fi

# The official MCP servers that the tests talk to, pinned by the lock file.
dir=internal/npmtest
if ! [ -e $dir/node_modules/.package-lock.json ] || [ $dir/package-lock.json -nt $dir/node_modules/.package-lock.json ]; then
	echo "installing the npm servers of $dir"
	npm ci --prefix $dir --no-audit --no-fund --loglevel=error
fi
