//go:build unix

package cli_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waymark/internal/store"
)

// The other server accepts a connection and does not respond.
func TestMigrationThatIsInterruptedBeforeItBeginsSaysSo(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	to := t.TempDir()
	createStore(t, store.Options{Dir: to})
	addAda(t, to)
	host := silent.Addr().String()
	for want, flags := range map[string][]string{
		"waymark: interrupted: no links were imported\n":                             {"--url", "http://" + host, "--user", "ada", "--key", "x", "--journal", filepath.Join(to, "journal")},
		"waymark: interrupted: nothing was changed, you can run the command again\n": {"--from-database", "mysql://a:b@" + host + "/linkace"},
	} {
		migrate := exec.Command("waymark", append([]string{"migrate", "linkace", "--data", to}, flags...)...)
		var output bytes.Buffer
		migrate.Stdout, migrate.Stderr = &output, &output
		if err := migrate.Start(); err != nil {
			t.Fatal(err)
		}
		conn, err := silent.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := migrate.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := migrate.Wait(); err == nil || output.String() != want {
			t.Errorf("%s: got %v\n%s\nwant %s", flags[0], err, output.String(), want)
		}
	}
}
