package cli

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"waymark/internal/config"
	"waymark/internal/database"
)

type configCommand struct {
	config.Serve `embed:""`
}

func (*configCommand) Help() string {
	return `Prints each setting of "waymark serve", its value and where it comes from, without secrets. Checks them as
the server does at its start: exit code 2 means that a value is invalid.

    waymark config
    sudo waymark config && sudo systemctl restart waymark`
}

func (c *configCommand) Run(t *terminal, command *kong.Context, file settingsFile) error {
	refused := ""
	if c.TLS.Cert != "" {
		var err error
		if _, refused, err = c.TLS.Load(time.Now()); err != nil {
			return usageError{err}
		}
	}
	if c.Store.Database != "" {
		if err := database.CheckPostgresURL(c.Store.Database); err != nil {
			return usageError{err}
		}
	}
	table := newTable(t.out, "SETTING", "VALUE", "FROM")
	for _, flag := range command.Selected().Flags {
		if len(flag.Envs) > 0 {
			value, from := c.effective(flag, command, file)
			table.row("--"+flag.Name, choose(value == "", "-", printable(value)), from)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(t.err, "The settings are valid.")
	if refused != "" {
		fmt.Fprintf(t.err, "Warning: browsers refuse the certificate: %s.\n", refused)
	}
	return nil
}

// effective returns the value of a setting as people write it, and where it comes from.
func (c *configCommand) effective(flag *kong.Flag, command *kong.Context, file settingsFile) (value, from string) {
	variable := flag.Envs[0]
	text, set := os.LookupEnv(variable)
	switch {
	case slices.ContainsFunc(command.Path, func(p *kong.Path) bool { return p.Flag == flag }):
		value, from = fmt.Sprint(flag.Target.Interface()), "flag"
	case set && file[variable]:
		value, from = text, config.File
	case set:
		value, from = text, variable
	default:
		value, from = flag.Default, "default"
	}
	implied := c.WithDomain()
	switch {
	case flag.Target.Type().Name() == "Secret" && value != "":
		value = "…"
	case flag.Name == "listen" && implied.Listen != c.Listen:
		value, from = implied.Listen, "--domain"
	case flag.Name == "base-url" && implied.API.BaseURL != c.API.BaseURL:
		value, from = implied.API.BaseURL.String(), "--domain"
	case flag.IsBool():
		value = choose(flag.Target.Bool(), "on", "off")
	case flag.Target.Kind() == reflect.String: // as it was read, such as a path
		value = flag.Target.String()
	}
	return withoutPasswords(value), from
}

// settingsFile has the names of the environment variables that come from config.File.
type settingsFile map[string]bool
