# Completion of waymark in fish. Save it as ~/.config/fish/completions/waymark.fish
function __waymark_complete
	set -l words (commandline --tokenize --cut-at-cursor --current-process)
	$words[1] __complete $words[2..-1] (commandline --cut-at-cursor --current-token | string collect --allow-empty) 2>/dev/null
end
complete --command waymark --no-files --arguments '(__waymark_complete)'
