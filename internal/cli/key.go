package cli

// keyCommands are the commands about API keys, one file each.
type keyCommands struct {
	Add    keyAdd    `cmd:"" help:"Make a key and print it."`
	List   keyList   `cmd:"" help:"Show a user's keys, without their secrets."`
	Revoke keyRevoke `cmd:"" help:"End a key, at once and for good."`
}
