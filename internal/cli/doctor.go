package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"waymark/internal/backup"
	"waymark/internal/config"
	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/accounts"
	"waymark/internal/store/doctor"
	"waymark/internal/transfer"
)

type doctorCommand struct {
	Repair  bool   `help:"Rebuild what can be computed from other data, and delete stored files that are damaged."`
	Salvage string `placeholder:"DIR" help:"Write what can be read of a damaged SQLite database to a new directory: an archive for each user."`
	JSON    bool   `name:"json" help:"Print the results as JSON."`

	BaseURL config.BaseURL `name:"base-url" help:"Public URL of the server, for the check of passkeys." env:"WAYMARK_BASE_URL" placeholder:"URL"`

	config.Store  `embed:""`
	config.Backup `embed:""`
}

func (*doctorCommand) Help() string {
	return `Prints a line for each check of the database, its files and the machine. The server may be running, except
for --salvage. A million links take 95 seconds of one processor, and 250 MB of memory.

    waymark doctor
    waymark doctor --repair
    waymark doctor --json --data /var/lib/waymark
    waymark doctor --salvage rescued

Import archives of --salvage into a new database: waymark import --user ann rescued/ann.ndjson. They
have no passwords, API keys and settings of the server.

Exit codes: 0 no problems or all repaired, 1 problems, 2 usage error.`
}

func (c *doctorCommand) Run(t *terminal) error {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	if c.Salvage != "" {
		return interrupted(ctx, salvage(ctx, t, c.Store, c.Salvage))
	}
	r := doctorReport{Checks: []doctor.Result{}}
	add := func(result doctor.Result) {
		r.Checks = append(r.Checks, result)
		if !c.JSON {
			printCheck(t, result)
		}
	}
	err := c.run(ctx, add)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: you can run the command again")
	case err != nil:
		return err
	}
	return r.finish(t, c.JSON)
}

// run runs the checks. An error means that they could not be run.
func (c *doctorCommand) run(ctx context.Context, add func(doctor.Result)) (err error) {
	db, openErr := store.OpenDatabase(ctx, store.Options{Dir: c.Data, Database: c.Database, Connections: c.DatabaseConnections, MustExist: true})
	if c.Dir != "" {
		add(c.checkBackups(time.Now()))
	}
	if openErr != nil {
		add(doctor.Result{Name: "open", Status: doctor.Problem, Detail: openErr.Error()})
		return ctx.Err()
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if db.Kind() == database.SQLite {
		add(doctor.CheckFiles(c.Data))
		add(doctor.CheckFreeSpace(c.Data))
	}
	if err := db.ReadOnly(); err != nil {
		add(doctor.Result{Name: "writing", Status: doctor.Problem, Detail: err.Error()})
	}
	if err := doctor.Check(ctx, db, c.Repair, add); err != nil || c.BaseURL.String() == "" {
		return err
	}
	add(c.checkPasskeys(ctx, db))
	return ctx.Err()
}

// checkPasskeys warns of passkeys that were made when the server had another host: browsers do not offer them.
func (c *doctorCommand) checkPasskeys(ctx context.Context, db *database.DB) doctor.Result {
	result := doctor.Result{Name: "passkeys", Status: doctor.OK, Detail: "all work with " + c.BaseURL.Host()}
	hosts, err := accounts.New(db, nil).PasskeyHosts(ctx)
	if err != nil {
		result.Status, result.Detail = doctor.Problem, err.Error()
		return result
	}
	delete(hosts, c.BaseURL.Host())
	var others []string
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		others = append(others, fmt.Sprintf("%d of %s", hosts[host], host))
	}
	if len(others) > 0 {
		result.Status = doctor.Warning
		result.Detail = fmt.Sprintf("some do not work with %s: %s", c.BaseURL.Host(), strings.Join(others, ", "))
		result.Advice = "set --base-url to the former host, or let their users sign in another way and make new ones"
	}
	return result
}

// checkBackups reports how old the newest backup of the server is.
func (c *doctorCommand) checkBackups(now time.Time) doctor.Result {
	result := doctor.Result{Name: "last backup", Status: doctor.Warning, Advice: "look for errors in the log of the server"}
	found, err := backup.List(c.Dir)
	if found = backup.Past(found, now); err != nil {
		result.Detail = err.Error()
		return result
	}
	if len(found) == 0 {
		result.Detail = "there is none in " + c.Dir
		return result
	}
	age := now.Sub(found[0].At)
	result.Detail = fmt.Sprintf("%s is %s old (%s)", found[0].File, age.Round(time.Minute), sizeText(found[0].Bytes))
	if age < 2*time.Duration(c.Every) {
		result.Status, result.Advice = doctor.OK, ""
	}
	return result
}

// doctorReport is the output of --json.
type doctorReport struct {
	Result   string          `json:"result"`  // healthy, warnings or problems
	Version  string          `json:"version"` // of Waymark
	Problems int             `json:"problems"`
	Warnings int             `json:"warnings"`
	Repaired int             `json:"repaired"`
	Checks   []doctor.Result `json:"checks"`
}

// finish prints the result. It returns errReported if there are problems.
func (r *doctorReport) finish(t *terminal, asJSON bool) error {
	r.Version = versionString()
	for _, result := range r.Checks {
		switch result.Status {
		case doctor.Problem:
			r.Problems++
		case doctor.Warning:
			r.Warnings++
		case doctor.Repaired:
			r.Repaired++
		case doctor.OK:
		}
	}
	r.Result = "healthy"
	sentence := "This Waymark is healthy."
	switch {
	case r.Problems > 0:
		r.Result, sentence = "problems", fmt.Sprintf("This Waymark has %s.", countOf(r.Problems, "problem"))
	case r.Warnings > 0:
		r.Result, sentence = "warnings", fmt.Sprintf("This Waymark works, with %s.", countOf(r.Warnings, "warning"))
	case r.Repaired > 0:
		sentence = fmt.Sprintf("This Waymark is healthy again: %s repaired.", countOf(r.Repaired, "problem"))
	}
	if asJSON {
		if err := printJSON(t.out, r); err != nil {
			return err
		}
	} else if _, err := fmt.Fprintf(t.out, "\n%s\n", sentence); err != nil {
		return err
	}
	if r.Problems > 0 {
		return errReported
	}
	return nil
}

func printCheck(t *terminal, c doctor.Result) {
	fmt.Fprintf(t.out, "%-9s %-15s %s\n", c.Status, c.Name, c.Detail)
	if c.Advice != "" {
		fmt.Fprintf(t.out, "%s→ %s\n", strings.Repeat(" ", 26), c.Advice)
	}
}

// salvage writes archives of what can be read of the damaged SQLite database in a directory to a new directory.
func salvage(ctx context.Context, t *terminal, from config.Store, dir string) (err error) {
	if from.Database != "" {
		return usageError{errors.New("--salvage reads a SQLite database: for PostgreSQL, restore a backup or use its tools")}
	}
	unlock, err := database.LockSQLite(ctx, from.Data)
	switch {
	case err == nil:
		defer func() { err = errors.Join(err, unlock()) }()
	case !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS): // a disk that fails is often read-only
		return err
	}
	copied := filepath.Join(dir, "waymark.salvage") // it needs as much space as the database
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("%w: --salvage needs a directory that does not exist yet, so that nothing is replaced", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copied)) }()
	into, err := store.OpenDatabase(ctx, store.Options{Dir: copied})
	if err != nil {
		return err
	}
	rows, left, err := doctor.Salvage(ctx, from.Data, into)
	if err := errors.Join(err, into.Close()); err != nil {
		return err
	}
	if rows == 0 {
		return errors.New("nothing in the database can be read: restore a backup")
	}
	fmt.Fprintf(t.err, "Read %s.", countOf(rows, "row"))
	if left > 0 {
		fmt.Fprintf(t.err, " %s left out, because what they refer to is damaged.", countOf(left, "row"))
	}
	fmt.Fprintln(t.err)
	s, err := store.Open(ctx, store.Options{Dir: copied})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	users, err := s.Accounts.Users(ctx)
	if err != nil {
		return err
	}
	exports := transfer.New(s, 0)
	for _, user := range users {
		file := filepath.Join(dir, strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(user.Name)+".ndjson")
		err := backup.WriteFile(file, false, func(w io.Writer) error {
			return exports.Export(ctx, user, transfer.ExportArchive, w)
		})
		if err != nil {
			return fmt.Errorf("write the archive of %s: %w", user.Name, err)
		}
		fmt.Fprintln(t.out, file)
	}
	return nil
}
