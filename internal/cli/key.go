package cli

// keyCommands are the commands of "waymark key".
type keyCommands struct {
	Add    keyAdd    `cmd:"" help:"Create an API key."`
	List   keyList   `cmd:"" help:"List a user's API keys."`
	Revoke keyRevoke `cmd:"" help:"Revoke an API key."`
}
