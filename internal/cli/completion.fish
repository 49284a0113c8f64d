# Completion of waymark in fish. Save it as ~/.config/fish/completions/waymark.fish
function __waymark_complete
	set -l words (commandline --tokenize --cut-at-cursor --current-process)
	set -l current (commandline --cut-at-cursor --current-token)
	set -l candidates ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
	if set -q candidates[1]
		printf '%s\n' $candidates
	else
		__fish_complete_path "$current"
	end
end
complete --command waymark --no-files --arguments '(__waymark_complete)'
