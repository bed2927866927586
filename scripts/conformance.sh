#!/bin/sh
# Runs the official MCP conformance suite against mcpclient, for each protocol
# revision twice: with the revision negotiated, as most servers are used, and
# pinned by `protocol` in the servers file. (A server of the suite for 2025-06-18
# may agree on 2025-11-25; only the pin makes sure.) Scenarios of extensions are
# left out. Fails on any result that is not expected. What the suite and the
# client said stays in dist/conformance.
set -eu
cd "$(dirname "$0")/.."

dir=internal/conformance
out=dist/conformance
client=bin/conformance-client # the suite splits its command at spaces: no absolute path
revisions="2025-06-18 2025-11-25 2026-07-28"

# The suite needs Node 22. Where the system's is older, the lock file brings one.
new_enough() { "$1" -e 'process.exit(+(parseInt(process.versions.node) < 22))' 2>/dev/null; }

if ! command -v npm >/dev/null 2>&1; then
	echo "The conformance suite comes from npm, which is not here: run make deps, or install Node." >&2
	exit 1
fi
node=node
omit=--omit=optional
if ! new_enough node; then
	node=$dir/node_modules/.bin/node
	omit=
fi
if ! [ -e $dir/node_modules/.package-lock.json ] || [ $dir/package-lock.json -nt $dir/node_modules/.package-lock.json ] || ! new_enough $node; then
	echo "installing the conformance suite in $dir"
	npm ci --prefix $dir $omit --no-audit --no-fund --loglevel=error >/dev/null
fi
new_enough $node || { echo "The conformance suite needs Node 22 or newer, which npm does not have for this system: install it." >&2; exit 1; }

${GO:-go} build -o $client ./$dir
rm -rf $out
mkdir -p $out

# run REVISION MODE: one run of the suite, and its line of the table.
run() {
	log=$out/$1-$2.txt
	trouble=$out/$1-$2.trouble
	: >"$trouble"
	pin=
	[ "$2" = negotiated ] || pin=1
	status=0
	CONFORMANCE_PIN=$pin CONFORMANCE_TROUBLE=$trouble $node $dir/node_modules/.bin/conformance client \
		--command $client --suite all --spec-version "$1" \
		--expected-failures $dir/expected-failures.yml --output-dir "$out/$1-$2" >"$log" 2>"$log.stderr" || status=$?
	awk -v revision="$1" -v mode="$2" -v status=$status '
		# The first file: clients that failed. A server that wants a login is
		# refused to all of them.
		FILENAME != ARGV[2] { if ($1 !~ /^auth\//) problem("the client failed: " $0); next }
		/^=== SUITE SUMMARY/ { summary = 1; next }
		/^Total:/ { checks = $2; failedChecks = $4; summary = 0; next }
		/Expected failures/ { list = "expected"; next }
		/Unexpected failures \(/ { list = "unexpected"; next }
		/Stale baseline/ { list = "stale"; next }
		# A scenario in which nothing was checked has a tick, too.
		summary && $1 == "✓" { passed++; if ($3 == 0) problem("nothing was checked: " $0) }
		summary && ($1 == "✓" || $1 == "✗") { ran++ }
		!summary && list == "expected" && $1 == "~" { expected++ }
		!summary && list == "unexpected" && $1 == "✗" { problem("failed: " $2) }
		!summary && list == "stale" && $1 == "✓" { problem("passes now, so strike it from expected-failures.yml: " $2) }
		function problem(s) { problems[++failed] = s }
		END {
			if (!ran) problem("the suite did not run; see its stderr")
			if (status != 0 && !failed) problem("the suite ended with status " status)
			printf "%-11s %-11s %9d %7d %9d %7d   %d passed, %d failed\n", revision, mode, ran, passed, expected, failed, checks, failedChecks
			for (i = 1; i <= failed; i++) print "    " problems[i]
			exit (failed > 0)
		}' "$trouble" "$log"
}

version=$($node -p 'require("./'$dir'/node_modules/@modelcontextprotocol/conformance/package.json").version')
echo "@modelcontextprotocol/conformance $version, Node $($node -p process.versions.node)"
echo "revision    mode        scenarios  passed  expected  failed   checks"
bad=0
for revision in $revisions; do
	for mode in negotiated pinned; do
		run "$revision" $mode || bad=1
	done
done
if [ $bad != 0 ]; then
	echo "Results that were not expected; details are in $out." >&2
fi
exit $bad
