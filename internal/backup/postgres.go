package backup

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waymark/internal/database"
)

// asidePrefix is the prefix of the names of namespaces with the tables that a restore has replaced.
const asidePrefix = "waymark_before_restore_"

// dump writes a PostgreSQL database to a file with pg_dump, and returns its schema version.
func dump(ctx context.Context, databaseURL, file string) (schema int64, err error) {
	state, err := database.InspectPostgres(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	if state.Schema == 0 {
		return 0, errors.New("the PostgreSQL database has no tables of Waymark: check --database")
	}
	// pack compresses the file.
	tool, err := newTool(ctx, "pg_dump", "--format=custom", "--compress=0", "--exclude-schema="+asidePrefix+"*", "--file="+file)
	if err != nil {
		return 0, err
	}
	if err := tool.connect(databaseURL); err != nil {
		return 0, err
	}
	return state.Schema, tool.explain(ctx, tool.Run())
}

// RestorePostgres restores a backup into a PostgreSQL database. If the namespace of Waymark has
// tables, it returns an error, or keeps them in another namespace if replace is set. Errors are
// sentences for the operator. After an error other than ErrNotAnalyzed, the old tables are in place,
// unless the connection was lost during the COMMIT.
func RestorePostgres(ctx context.Context, file, databaseURL string, replace bool) (r Restored, err error) {
	archive, closeFile, err := openBackup(file, PostgreSQL)
	if err != nil {
		return Restored{}, err
	}
	defer closeFile()
	m := archive.Manifest
	dir, release, err := newWorkDir(os.TempDir())
	if err != nil {
		return Restored{}, err
	}
	defer release()
	dumped := filepath.Join(dir, postgresName)
	if err := archive.extractTo(ctx, dumped); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", file, err)
	}
	return restoreDump(ctx, dumped, m, databaseURL, replace)
}

// restoreDump restores a dump. The caller has checked the backup that contains it.
func restoreDump(ctx context.Context, dumped string, m Manifest, databaseURL string, replace bool) (r Restored, err error) {
	state, err := database.InspectPostgres(ctx, databaseURL)
	// PostgreSQL lists the connections of a server that has stopped for a moment.
	for end := time.Now().Add(2 * time.Second); err == nil && state.Servers > 0 && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		state, err = database.InspectPostgres(ctx, databaseURL)
	}
	switch {
	case err != nil:
		return Restored{}, err
	case state.Servers > 0:
		return Restored{}, errors.New("a Waymark server or command is connected to the database: stop it first")
	case state.Tables > 0 && !replace:
		return Restored{}, fmt.Errorf("the database has %d tables: restore into an empty database, or use --replace, which keeps the old tables in another schema", state.Tables)
	}
	r.Manifest = m
	if state.Tables > 0 {
		r.Kept = asidePrefix + strings.ToLower(time.Now().UTC().Format(nameTime))
	}
	if err := runScript(ctx, dumped, databaseURL, state.SetAside(r.Kept)); err != nil {
		return Restored{}, err
	}
	// A restored database leaves the planner without statistics.
	if err := database.AnalyzePostgres(ctx, databaseURL); err != nil {
		return r, fmt.Errorf("%w: %w", ErrNotAnalyzed, err)
	}
	return r, nil
}

// ErrNotAnalyzed means that a backup was restored, but PostgreSQL has no statistics of its tables.
var ErrNotAnalyzed = errors.New("the backup was restored, but queries are slow until you run ANALYZE in the database")

// maxToolOutput is the maximum size of the error output of a tool in an error, in bytes.
const maxToolOutput = 2000

// runScript runs statements and restores a dump, in one transaction. pg_restore translates the dump
// to SQL, and psql runs that. psql gets the COMMIT after pg_restore has succeeded: if one of the
// programs fails, or this one is killed, PostgreSQL rolls everything back.
func runScript(ctx context.Context, dumped, databaseURL string, statements []string) error {
	pgRestore, err := newTool(ctx, "pg_restore", "--no-owner", "--no-privileges", "--file=-", dumped)
	if err != nil {
		return err
	}
	psqlCtx, kill := context.WithCancel(ctx)
	defer kill()
	psql, err := newTool(psqlCtx, "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1")
	if err != nil {
		return err
	}
	if err := psql.connect(databaseURL); err != nil {
		return err
	}
	script, err := psql.StdinPipe()
	if err != nil {
		return err
	}
	if err := psql.Start(); err != nil {
		return psql.explain(ctx, err)
	}
	err = func() error {
		defer script.Close()
		if _, err := io.WriteString(script, "BEGIN;\n"+strings.Join(statements, ";\n")+";\n"); err != nil {
			return err
		}
		// Not with a pipe: pg_restore would go on if this program were killed.
		restored := bufio.NewWriterSize(&scriptWriter{psql: script}, scriptBuffer)
		pgRestore.Stdout = restored
		if err := pgRestore.Run(); err != nil {
			kill() // psql does not have to end with an incomplete statement
			return pgRestore.explain(ctx, err)
		}
		if err := restored.Flush(); err != nil {
			return err
		}
		_, err := io.WriteString(script, "COMMIT;\n")
		return err
	}()
	if failed := psql.Wait(); failed != nil && (err == nil || psql.ProcessState.Exited()) {
		return psql.explain(ctx, failed) // the cause of an error of pg_restore, which writes to it
	}
	return err
}

// scriptBuffer is the number of bytes that are written to psql at a time, so that the first ones have
// all settings at the beginning of the script.
const scriptBuffer = 32 << 10

// scriptWriter writes a script of pg_restore to psql. The first Write must have its settings.
type scriptWriter struct {
	psql  io.Writer
	began bool
}

// Write replaces a setting of pg_restore 17 and newer, which servers before 17 reject.
func (w *scriptWriter) Write(p []byte) (int, error) {
	text := p
	if !w.began {
		w.began = true
		text = bytes.Replace(p, []byte("\nSET transaction_timeout = 0;\n"), []byte(`
SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings WHERE name = 'transaction_timeout';
`), 1)
	}
	if _, err := w.psql.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// tool is a program of PostgreSQL.
type tool struct {
	*exec.Cmd
	program string
	output  bytes.Buffer // of errors
}

func newTool(ctx context.Context, program string, args ...string) (*tool, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed: install the client programs of PostgreSQL (Debian: postgresql-client), in the version of the server or newer", program)
	}
	t := &tool{Cmd: exec.CommandContext(ctx, path, args...), program: program}
	t.Stderr = &t.output
	return t, nil
}

// connect lets the tool connect to a database.
func (t *tool) connect(databaseURL string) error {
	public, env, err := toolURL(databaseURL)
	if err != nil {
		return err
	}
	t.Args = append(t.Args, "--no-password", "--dbname="+public)
	// The role, the database or the server can have another encoding for its clients.
	t.Env = append(append(os.Environ(), "PGCLIENTENCODING=UTF8"), env...)
	return nil
}

// explain returns the error of the tool with what it has written.
func (t *tool) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	text := strings.TrimSpace(t.output.String())
	return fmt.Errorf("%s failed (%w): %s", t.program, err, strings.ToValidUTF8(text[:min(len(text), maxToolOutput)], ""))
}

// toolSettings are the URL parameters that the tools of PostgreSQL get. Other parameters are for
// Waymark's driver, and the tools reject them.
var toolSettings = []string{
	"host", "hostaddr", "port", "dbname", "user", "passfile", "connect_timeout", "application_name", "options", "service",
	"ssl", "sslmode", "sslnegotiation", "sslcert", "sslkey", "sslcertmode", "sslrootcert", "sslcrl", "sslsni", "ssl_min_protocol_version",
	"ssl_max_protocol_version", "min_protocol_version", "max_protocol_version", "require_auth", "gssencmode", "krbsrvname", "channel_binding",
	"target_session_attrs", "keepalives", "keepalives_idle",
}

// toolURL returns a postgres:// URL for the tools of PostgreSQL, and their environment. The password
// is in the environment, because other users of the system can see the arguments of a process. It
// does not use url.Parse, because the URL can have several hosts.
func toolURL(text string) (public string, env []string, err error) {
	password, settings := "", ""
	scheme, rest, _ := strings.Cut(text, "://")
	rest, query, _ := strings.Cut(rest, "?")
	hosts, path, hasPath := strings.Cut(rest, "/")
	if i := strings.LastIndex(hosts, "@"); i >= 0 {
		user, secret, _ := strings.Cut(hosts[:i], ":")
		if decoded, err := url.PathUnescape(secret); err == nil {
			password = decoded
		}
		hosts = user + hosts[i:]
	}
	public = scheme + "://" + hosts
	if hasPath {
		public += "/" + path
	}
	for setting := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(setting, "=")
		decoded, err := url.QueryUnescape(value)
		switch {
		case slices.Contains(toolSettings, name):
			settings += "&" + setting
		case name == "sslpassword":
			return "", nil, errors.New("the tools of PostgreSQL would show sslpassword to other users of this system: put it into a service file, and use the parameter service instead")
		case err != nil:
		case name == "password":
			password = decoded
		case name == "servicefile":
			env = append(env, "PGSERVICEFILE="+decoded)
		}
	}
	if password != "" {
		env = append(env, "PGPASSWORD="+password)
	}
	if !strings.Contains(settings, "&target_session_attrs=") { // the tools connect to the host that Waymark connects to
		settings += "&target_session_attrs=read-write"
	}
	return public + "?" + settings[1:], env, nil
}
