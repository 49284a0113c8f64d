package cli

// importCommands are the commands about imports. The first one needs no name.
type importCommands struct {
	File importFile `cmd:"" default:"withargs" help:"Import bookmarks from files."`
	List importList `cmd:"" help:"List the imports of a user."`
	Undo importUndo `cmd:"" help:"Undo an import."`
}

func (*importCommands) Help() string {
	return `"waymark import" without a command is the same as "waymark import file". To import a file, and to see
the options:

    waymark import --user ann bookmarks.html
    waymark import file --help`
}
