#!/usr/bin/env bash
# Draws docs/terminal.svg, the picture in the README: runs a session in a shell with
# the program as it is now, and draws its output. Needs curl, jq and port 8080. Run it
# when the output of these commands has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

commands=(
	'waymark serve 2>waymark.log &'
	'waymark user add ada --no-password'
	'KEY=$(waymark key add ada laptop)'
	'api() { curl -s --oauth2-bearer $KEY localhost:8080/api/v2/"$@"; }'
	'api links --json '\''{"url": "https://go.dev/", "tags": ["go", "web"]}'\'' | jq -c "[.title, .tags[].name]"'
	'api search/links?query=GO.dev | jq -c "{total, urls: [.data[].url]}"'
)

make -s build
# The picture shows the default title, and nothing connects to other servers.
export WAYMARK_METADATA=off WAYMARK_CHECK=off WAYMARK_PICTURES=off WAYMARK_SNAPSHOTS=off
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp waymark "$home"
picture=$PWD/docs/terminal.svg
cd "$home"
PATH=$home:$PATH

# The session runs in a terminal, because the server prints its welcome text only there.
cat >session.sh <<'END'
jq() { command jq --monochrome-output "$@"; }
server=
trap '[ -z "$server" ] || kill "$server"' EXIT
for command in "${commands[@]}"; do
	printf '$ %s\n' "$command"
	eval "$command"
	if [ -z "$server" ]; then
		server=$!
		until waymark healthcheck 2>nothing; do sleep 0.1; done
	fi
done
END
{ declare -p commands; cat session.sh; } >run.sh
script -qec 'bash run.sh' typescript </dev/null | tr -d '\r' >session
# Replace this script's temporary directory with a home directory.
sed -i "s|$home|/home/ada|" session

awk -v width=104 '
	BEGIN { step = 19; top = 46 }
	{
		# Break long lines at a space.
		command = /^\$ /
		while (length > width) {
			cut = width
			while (cut > 1 && substr($0, cut, 1) != " ") cut--
			line[++n] = substr($0, 1, cut); typed[n] = command
			$0 = "    " substr($0, cut + 1)
		}
		line[++n] = $0; typed[n] = command
	}
	END {
		height = top + n * step + 8
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"880\" height=\"%d\" viewBox=\"0 0 880 %d\" role=\"img\" aria-label=\"A terminal session with Waymark\">\n", height, height
		print "<rect width=\"880\" height=\"100%\" rx=\"8\" fill=\"#1c2128\"/>"
		print "<g fill=\"#545d68\"><circle cx=\"20\" cy=\"18\" r=\"6\"/><circle cx=\"40\" cy=\"18\" r=\"6\"/><circle cx=\"60\" cy=\"18\" r=\"6\"/></g>"
		print "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, \x27DejaVu Sans Mono\x27, monospace\" font-size=\"13.5\" fill=\"#adbac7\">"
		for (i = 1; i <= n; i++) {
			text = line[i]
			gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
			if (typed[i]) text = "<tspan fill=\"#f0f3f6\">" text "</tspan>"
			sub(/>\$ /, "><tspan fill=\"#57ab5a\">$</tspan> ", text)
			printf "<text xml:space=\"preserve\" x=\"16\" y=\"%d\">%s</text>\n", top + (i - 1) * step, text
		}
		print "</g>\n</svg>"
	}' session >"$picture"
