#!/usr/bin/env bash
# Fails if Waymark calls functions with known vulnerabilities: scripts/vulnerabilities.sh FILE.
# If the database of vulnerabilities does not answer, it prints that and appends it to FILE, the
# list of skipped steps.
set -euo pipefail
cd "$(dirname "$0")/.."

skipped=$1
database=${GOVULNDB:-https://vuln.go.dev}
if ! problem=$(curl -fsS --max-time 15 --output /dev/null "$database/index/db.json" 2>&1); then
	line="unreachable: known vulnerabilities were not checked: $database does not answer ($problem)"
	echo "$line"
	echo "$line" >>"$skipped"
	exit
fi
go tool -modfile=tools/vuln/go.mod govulncheck -db "$database" ./...
