package cli

// userCommands are the commands of "waymark user".
type userCommands struct {
	Add          userAdd          `cmd:"" help:"Create a user."`
	List         userList         `cmd:"" help:"List users."`
	Edit         userEdit         `cmd:"" help:"Change a user's name, role or default visibility."`
	Password     userPassword     `cmd:"" help:"Change a user's password."`
	SecondFactor userSecondFactor `cmd:"" help:"Show or remove a user's second factors."`
	Disable      userDisable      `cmd:"" help:"Disable a user without deleting their data."`
	Enable       userEnable       `cmd:"" help:"Re-enable a user."`
	Identity     userIdentity     `cmd:"" help:"Show or remove a user's accounts at sign-in providers."`
	Remove       userRemove       `cmd:"" help:"Delete a user and all their data."`
}
