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
func TestCommandThatIsInterruptedBeforeItBeginsSaysSo(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer silent.Close()
	dir := t.TempDir()
	createStore(t, store.Options{Dir: dir})
	addAda(t, dir)
	host := silent.Addr().String()
	const nothingChanged = "waymark: interrupted: nothing was changed, you can run the command again\n"
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"migrate", "linkace", "--data", dir, "--url", "http://" + host, "--user", "ada", "--key", "x"}, "waymark: interrupted: no links were imported\n"},
		{[]string{"migrate", "linkace", "--data", dir, "--from-database", "mysql://a:b@" + host + "/linkace"}, nothingChanged},
		{[]string{"migrate", "database", "--from", "sqlite:" + dir, "--to", "postgres://" + host + "/waymark"}, nothingChanged},
		{[]string{"backup", "--database", "postgres://" + host + "/waymark", filepath.Join(dir, "backup.tar.gz")}, nothingChanged},
	} {
		command := exec.Command("waymark", test.args...)
		var output bytes.Buffer
		command.Stdout, command.Stderr = &output, &output
		check(t, command.Start())
		conn, err := silent.Accept()
		check(t, err)
		defer conn.Close()
		check(t, command.Process.Signal(os.Interrupt))
		if err := command.Wait(); err == nil || output.String() != test.want {
			t.Errorf("%s: got %v\n%s\nwant %s", test.args[:2], err, output.String(), test.want)
		}
	}
}
