#compdef waymark
# Completion of waymark in zsh. Load it with: . <(waymark completion zsh)
_waymark() {
	local -a candidates
	local line
	for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( $#candidates )); then
		_describe waymark candidates
	else
		_files
	fi
}
if [[ "${funcstack[1]}" == _waymark ]]; then
	_waymark "$@"
else
	compdef _waymark waymark
fi
