# Completion of waymark in bash. Load it with: . <(waymark completion bash)
_waymark() {
	local IFS=$'\n'
	COMPREPLY=($("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _waymark waymark
