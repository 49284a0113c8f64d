package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"waymark/internal/config"
	"waymark/internal/server"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// importCommands are the commands about imports. The first one needs no name.
type importCommands struct {
	File importFile `cmd:"" default:"withargs" help:"Import bookmarks from files."`
	List importList `cmd:"" help:"List the imports of a user."`
	Undo importUndo `cmd:"" help:"Undo an import."`
}

func (*importCommands) Help() string {
	return `"waymark import" without a command is the same as "waymark import file". To import a file, and to see
the options:

    waymark import --user ann bookmarks.html
    waymark import file --help`
}

type importFile struct {
	Files []string `arg:"" name:"file" help:"File to import, or - for standard input."`

	User        string `required:"" placeholder:"NAME" help:"User to whom the links are added."`
	Folders     string `enum:"nested,flat,tags,both,none" default:"nested" help:"What folders become: nested (lists in lists), flat (lists), tags, both (nested and tags) or none."`
	FolderNames string `enum:"path,leaf" default:"path" help:"Names of flat lists and tags: path (Parent / Child) or leaf (Child)."`
	OnDuplicate string `enum:"update,skip" default:"update" help:"For links that exist: update adds lists and tags, skip changes nothing."`
	Visibility  string `enum:"file,public,internal,private" default:"file" help:"Visibility of what is not private in the file: file (as there, or the default of the user), public, internal or private."`
	JSON        bool   `name:"json" help:"Print a JSON array of the imports."`

	config.Store    `embed:""`
	config.Metadata `embed:""`
	config.Pictures `embed:""`
}

func (*importFile) Help() string {
	return `Recognises the format of each file. The server may be running. What cannot be saved is printed with its
line; the rest is imported. After an interruption, run the command again: it saves no link twice.

    waymark import --user ann bookmarks.html
    waymark import --user ann --folders tags --folder-names leaf *.html
    curl https://example.org/links.csv | waymark import --user ann -

Each file is one import, which can be undone: waymark import undo ID`
}

func (c *importFile) options() waymark.ImportOptions {
	o := waymark.ImportOptions{
		Folders:     waymark.ImportFolders(c.Folders),
		FolderNames: waymark.ImportFolderNames(c.FolderNames),
		OnDuplicate: waymark.ImportDuplicates(c.OnDuplicate),
	}
	if v, err := waymark.ParseVisibility(c.Visibility); err == nil {
		o.Visibility = v
	}
	return o
}

func (c *importFile) Run(t *terminal) error {
	fetch := waymark.FetchPolicy{Parts: server.PageParts(c.Metadata, c.Pictures)}
	return withStoreForImports(c.Store, fetch, func(ctx context.Context, s *store.Store) error {
		imports := transfer.New(s, int64(c.SnapshotsQuota))
		imports.KeepFilesIn(filepath.Join(c.Data, "uploads"))
		user, err := userByName(ctx, s, c.User)
		if err != nil {
			return err
		}
		var all []waymark.Import
		var errs []error
		for _, name := range c.Files {
			i, err := c.importOne(ctx, t, imports, user, name)
			if err != nil {
				errs = append(errs, err)
			}
			if i.ID != 0 {
				all = append(all, i)
			}
			if ctx.Err() != nil {
				break
			}
		}
		if c.JSON {
			errs = append(errs, printImports(t.out, all))
		}
		return errors.Join(errs...)
	})
}

func (c *importFile) importOne(ctx context.Context, t *terminal, imports *transfer.Transfer, user waymark.User, name string) (waymark.Import, error) {
	i := waymark.Import{Options: c.options()}
	file, size, err := openImported(ctx, t, name)
	if err != nil {
		return i, err
	}
	defer file.Close()
	i.Size = size
	if name != "-" {
		i.File = filepath.Base(name)
	}
	p := newProgress(t.err)
	batch, err := imports.OpenImport(ctx, user, i, file, func(i waymark.Import, problems []waymark.ImportProblem) {
		for _, problem := range problems {
			p.print("%s", printable(problem.String()))
		}
		if i.State == waymark.ImportRunning && i.Size > 0 {
			p.update(int(i.Position>>10), int(i.Size>>10), "KiB")
		}
	})
	if err != nil {
		return i, fmt.Errorf("%s: %w", name, err)
	}
	i, err = batch.Run(ctx)
	p.end()
	undo := commandLine("import undo", c.Store, strconv.FormatInt(int64(i.ID), 10))
	switch {
	case errors.Is(err, store.ErrImportEnded):
		return i, fmt.Errorf("%s: %w", name, err)
	case ctx.Err() != nil && err != nil:
		return i, fmt.Errorf("%s: interrupted: %s; run the command again to import the rest, or undo what was imported with: %s", name, describeCounts(i), undo)
	case err != nil && i.Counts.Read == 0:
		return i, fmt.Errorf("%s: %w", name, err)
	case err != nil:
		return i, fmt.Errorf("%s: %w; until then: %s; undo it with: %s", name, err, describeCounts(i), undo)
	}
	fmt.Fprintf(t.err, "%s (%s): %s.\n", name, i.Format, describeCounts(i))
	if i.Steps > 0 {
		fmt.Fprintf(t.err, "Undo it with: %s\n", undo)
	}
	return i, nil
}

// openImported opens a file, or standard input for -, which ends with ctx. An unknown size is 0.
func openImported(ctx context.Context, t *terminal, name string) (file io.ReadCloser, size int64, err error) {
	if name == "-" {
		r, w := io.Pipe()
		context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
		go func() {
			_, err := io.Copy(w, t.in)
			w.CloseWithError(err)
		}()
		return r, 0, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory: import the files in it", name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return f, size, nil
}

// describeCounts returns what an import did, such as 12 links added, 3 already saved and skipped.
func describeCounts(i waymark.Import) string {
	text := countOf(i.Counts.Added, "link") + " added"
	for _, part := range []struct {
		n    int
		text string
	}{
		{i.Counts.Updated, "%d updated"},
		{i.Counts.Merged, "%d joined with a link that this file has added"},
		{i.Counts.Skipped, "%d already saved and skipped"},
		{i.Counts.Failed, "%d could not be saved"},
	} {
		if part.n > 0 {
			text += ", " + fmt.Sprintf(part.text, part.n)
		}
	}
	return text
}

type importList struct {
	User string `required:"" placeholder:"NAME" help:"User whose imports are listed."`
	JSON bool   `name:"json" help:"Print a JSON array."`

	config.Store `embed:""`
}

func (*importList) Help() string {
	return `Prints the last 100 imports, the newest first. If one was interrupted, run it again, or undo it.

    waymark import list --user ann`
}

func (c *importList) Run(t *terminal) error {
	return withUser(c.Store, c.User, func(ctx context.Context, s *store.Store, user waymark.User) error {
		all, err := s.Imports(ctx, user.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return printImports(t.out, all)
		}
		table := newTable(t.out, "ID", "STATE", "STARTED", "ADDED", "UPDATED", "SKIPPED", "FAILED", "FILE")
		for _, i := range all {
			table.row(strconv.FormatInt(int64(i.ID), 10), string(i.State), formatTime(i.StartedAt),
				strconv.Itoa(i.Counts.Added), strconv.Itoa(i.Counts.Updated), strconv.Itoa(i.Counts.Skipped+i.Counts.Merged), strconv.Itoa(i.Counts.Failed),
				printable(choose(i.File == "", "-", i.File)))
		}
		return table.Flush()
	})
}

func printImports(w io.Writer, imports []waymark.Import) error {
	type printed struct {
		ID         waymark.ImportID    `json:"id"`
		File       string              `json:"file"`
		Format     string              `json:"format"`
		State      waymark.ImportState `json:"state"`
		Error      string              `json:"error"`
		StartedAt  string              `json:"started_at"`
		FinishedAt *string             `json:"finished_at"` // null while it runs
		Read       int                 `json:"read"`
		Added      int                 `json:"added"`
		Updated    int                 `json:"updated"`
		Merged     int                 `json:"merged"`
		Skipped    int                 `json:"skipped"`
		Failed     int                 `json:"failed"`
		Problems   int                 `json:"problems"`
	}
	var list []printed
	for _, i := range imports {
		list = append(list, printed{
			i.ID, i.File, i.Format, i.State, i.Error, formatTime(i.StartedAt), jsonTime(i.FinishedAt),
			i.Counts.Read, i.Counts.Added, i.Counts.Updated, i.Counts.Merged, i.Counts.Skipped, i.Counts.Failed, i.Problems,
		})
	}
	return printJSONList(w, list)
}

type importUndo struct {
	ID int64 `arg:"" help:"ID of the import."`

	config.Store `embed:""`
}

func (*importUndo) Help() string {
	return `Moves to the trash what the import added, except links that were edited or received notes since, and
lists and tags that have other links. An import that is running is stopped.

    waymark import list --user ann
    waymark import undo 3`
}

func (c *importUndo) Run(t *terminal) error {
	return withStoreForImports(c.Store, waymark.FetchPolicy{}, func(ctx context.Context, s *store.Store) error {
		imports := transfer.New(s, 0)
		id := waymark.ImportID(c.ID)
		owner, err := s.ImportOwner(ctx, id)
		if err != nil {
			return fmt.Errorf("import %d: %w", id, err)
		}
		i, err := imports.UndoImport(ctx, owner, id)
		switch {
		case errors.Is(err, waymark.ErrConflict):
			return fmt.Errorf("import %d was already undone", id)
		case err != nil && ctx.Err() != nil:
			return errors.New("interrupted: run the command again to undo the rest")
		case err != nil:
			return err
		}
		fmt.Fprintf(t.err, "Import %d of %s undone: %s.\n", id, owner.Name, countOf(i.Undone.Done, "link"))
		if i.Undone.Edited > 0 {
			fmt.Fprintf(t.err, "Kept: %s edited since the import.\n", countOf(i.Undone.Edited, "link"))
		}
		if i.Undone.WithNotes > 0 {
			fmt.Fprintf(t.err, "Kept: %s with notes written or edited since the import.\n", countOf(i.Undone.WithNotes, "link"))
		}
		return nil
	})
}
