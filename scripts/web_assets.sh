#!/usr/bin/env bash
# Writes the files of internal/web/page that come from npm packages: htmx, the font and the icons,
# with their licenses. tools/package.json has the versions. Run it after a
# change of a version or of the list of icons, and commit what it writes.
set -euo pipefail
cd "$(dirname "$0")/.."

# The icons of the pages, by their names at https://lucide.dev/icons/.
icons=(
	archive archive-restore arrow-down arrow-down-a-z arrow-up arrow-up-right ban bookmark building-2 check chevron-down chevron-left
	chevron-right circle-alert circle-check circle-dot clock copy download ellipsis external-link eye eye-off file-text fingerprint-pattern
	folder-input globe hash highlighter house import inbox info key-round layout-grid layout-list library life-buoy link list-checks list-filter list-tree lock log-out
	menu merge monitor moon palette panel-right pencil pin plus printer rectangle-ellipsis rows-3 rss search search-x server settings shield-check signpost smartphone
	star star-off sun tags text-search trash-2 triangle-alert undo-2 unlink upload user users x
)

scripts/npm.sh
packages=tools/node_modules
static=internal/web/page/static
licenses=internal/web/page/licenses
mkdir -p "$licenses"

# The map that the last line of the minified file may name is not served.
sed '/^\/\/# sourceMappingURL=/d' "$packages/htmx.org/dist/htmx.min.js" >"$static/htmx.min.js"
cp "$packages/htmx.org/LICENSE" "$licenses/htmx.LICENSE.txt"

for subset in cyrillic greek latin latin-ext vietnamese; do
	for weight in 400 600; do
		cp "$packages/@fontsource/inter/files/inter-$subset-$weight-normal.woff2" "$static/inter-$subset-$weight.woff2"
	done
done
cp "$packages/@fontsource/inter/LICENSE" "$licenses/inter.LICENSE.txt"

# The shapes inherit stroke and fill from the element around them. svgo makes one path of most
# of them: a page has a hundred icons, and browsers build an element for each shape.
files=("${icons[@]/#/$packages/lucide-static/icons/}")
shapes=$(mktemp -d)
trap 'rm -rf "$shapes"' EXIT
"$packages/.bin/svgo" --quiet --config tools/svgo.config.mjs --output "$shapes" --input "${files[@]/%/.svg}"
{
	echo '<svg xmlns="http://www.w3.org/2000/svg">'
	for icon in "${icons[@]}"; do
		sed "s|.*<svg[^>]*>|<symbol id=\"$icon\" viewBox=\"0 0 24 24\">|; s|</svg>|</symbol>\n|" "$shapes/$icon.svg"
	done
	echo '</svg>'
} >internal/web/page/icons.svg
cp "$packages/lucide-static/LICENSE" "$licenses/lucide.LICENSE.txt"
