package cli

// migrateCommands are the commands that migrate from another program, or to another database.
type migrateCommands struct {
	LinkAce  migrateLinkAce  `cmd:"" name:"linkace" help:"Migrate from LinkAce, through its API or from its database."`
	Linkding migrateLinkding `cmd:"" name:"linkding" help:"Migrate from linkding, through its API."`
	Database migrateDatabase `cmd:"" name:"database" help:"Copy all data between SQLite and PostgreSQL."`
}
