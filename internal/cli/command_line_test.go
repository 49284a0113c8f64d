package cli

import (
	"strings"
	"testing"

	"waymark/internal/config"
)

func TestCommandLineHasTheDatabaseUnlessItIsInTheEnvironment(t *testing.T) {
	const url = "postgres://waymark:secret@127.0.0.1/waymark"
	for _, test := range []struct {
		name     string
		env      map[string]string
		settings config.Store
		want     string
	}{
		{"data in the environment", map[string]string{"WAYMARK_DATA": "/srv/links"}, config.Store{Data: "/srv/links"}, "key list ann"},
		{"another data directory", map[string]string{"WAYMARK_DATA": "/srv/links"}, config.Store{Data: "/srv/it's"}, `key list ann --data '/srv/it'\''s'`},
		{"database in the environment", map[string]string{"WAYMARK_DATABASE": url}, config.Store{Data: "/srv/links", Database: url}, "key list ann"},
		{"database in a flag", nil, config.Store{Data: "/srv/links", Database: url}, "key list ann --database URL"},
		{"another database than in the environment", map[string]string{"WAYMARK_DATABASE": url + "2"}, config.Store{Database: url}, "key list ann --database URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("WAYMARK_DATA", "data")
			t.Setenv("WAYMARK_DATABASE", "")
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			got := commandLine("key list", test.settings, "ann")
			if !strings.HasSuffix(got, " "+test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
