package waymark

import (
	"fmt"
	"strings"
)

// Import is an import of a file. It can be undone as a whole.
type Import struct {
	ID      ImportID
	Owner   UserID
	File    string // the name of the file, "" if it has none
	Format  string // the name of the format of the file
	Options ImportOptions
	Size    int64 // of the file in bytes, 0 if it is not known
	State   ImportState
	Error   string // why the file was not read to its end, "" if the reason is neither the file nor a full disk

	StartedAt  Time
	SeenAt     Time // when the running import last reported that it runs
	FinishedAt Time // zero while it runs

	Position int64 // in bytes: how much of the file was read
	Counts   ImportCounts
	Problems int // the number of problems, which can be more than are stored
	Steps    int // the number of transactions that can be undone
	Undone   UndoneLinks
}

// UndoneLinks counts the links of an import that was undone.
type UndoneLinks struct {
	Done      int // moved to the trash, or without the lists and tags that the import gave them
	Edited    int // kept, because they were edited since
	WithNotes int // kept, because they got notes since, or because notes of the import were edited
}

// Kept returns how many of the links that the import created still exist.
func (u UndoneLinks) Kept() int { return u.Edited + u.WithNotes }

// MaxImportProblems is how many problems of an import are stored. The others are counted.
const MaxImportProblems = 1000

// MaxImports is how many imports of a user are kept. Older ones can no longer be undone.
const MaxImports = 100

// ImportCounts count the rows of a file. Read is the sum of the others.
type ImportCounts struct {
	Read    int
	Added   int // new links
	Updated int // links that were saved before and got a list or tag
	Merged  int // rows with the URL of a link that this import, or an interrupted one before it, has added
	Skipped int // rows with the URL of a link that was saved before: all of them, or all but the first if the link counts as updated
	Failed  int // rows that could not be saved
}

// Add adds other to c.
func (c *ImportCounts) Add(other ImportCounts) {
	c.Read += other.Read
	c.Added += other.Added
	c.Updated += other.Updated
	c.Merged += other.Merged
	c.Skipped += other.Skipped
	c.Failed += other.Failed
}

// ImportState says whether an import is running, or how it ended.
type ImportState string

// The states of an import.
const (
	ImportRunning     ImportState = "running"
	ImportFinished    ImportState = "finished"
	ImportFailed      ImportState = "failed"      // the file could not be read, or only in part
	ImportInterrupted ImportState = "interrupted" // it was stopped, or the program ended
	ImportUndoing     ImportState = "undoing"     // it is being undone
	ImportUndone      ImportState = "undone"      // it was undone
)

// Active reports whether an import still changes something.
func (s ImportState) Active() bool { return s == ImportRunning || s == ImportUndoing }

// ImportOptions say how the links of a file are saved. A zero value means the default.
type ImportOptions struct {
	Folders     ImportFolders
	FolderNames ImportFolderNames
	OnDuplicate ImportDuplicates
	// Visibility is the visibility of new links, lists and tags; 0 for that of the file, or the
	// owner's default if the file has none. Links that are private in the file stay private.
	Visibility Visibility
}

// ImportFolders says what becomes of the folders of a file.
type ImportFolders string

// The values of ImportFolders. FoldersToNested is the default.
const (
	FoldersToNested ImportFolders = "nested" // lists in lists
	FoldersToFlat   ImportFolders = "flat"   // lists that stand in no list
	FoldersToTags   ImportFolders = "tags"
	FoldersToBoth   ImportFolders = "both" // lists in lists, and tags
	FoldersIgnored  ImportFolders = "none"
)

// Nested reports whether folders become lists in lists.
func (f ImportFolders) Nested() bool { return f == FoldersToNested || f == FoldersToBoth }

// Tags reports whether folders become tags.
func (f ImportFolders) Tags() bool { return f == FoldersToTags || f == FoldersToBoth }

// ImportFolderNames says which name the flat list or the tag of a nested folder has.
type ImportFolderNames string

// The values of ImportFolderNames. FolderPath is the default.
const (
	FolderPath ImportFolderNames = "path" // Parent / Child
	FolderLeaf ImportFolderNames = "leaf" // Child
)

// FolderSeparator separates the names of nested folders in the name of a list or tag.
const FolderSeparator = " / "

// JoinFolder returns the path of a folder as one name of at most MaxName characters.
func JoinFolder(path []string) string {
	return strings.TrimSpace(truncate(strings.Join(path, FolderSeparator), MaxName))
}

// NewFolder returns the names of the lists for a folder of a file, the outermost one first, and what was changed in
// them. A path of more than MaxListDepth names ends with the joined names of the deepest folders. It is empty if no
// name can be saved.
func NewFolder(path []string) (names []string, problems []Problem) {
	check := importCheck{}
	for _, name := range path {
		if normal := NormalizeName(name); normal != "" {
			names = append(names, normal)
		} else {
			check.add(Problem{Field: FieldLists, Rule: RuleFormat})
		}
	}
	if len(names) > MaxListDepth {
		check.add(Problem{Field: FieldFolders, Rule: RuleMaxDepth, Limit: MaxListDepth})
		names = append(names[:MaxListDepth-1], JoinFolder(names[MaxListDepth-1:]))
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(check.text(FieldLists, name, MaxName))
	}
	for _, p := range check.problems {
		problems = append(problems, p.Problem)
	}
	return names, problems
}

// ImportDuplicates says what becomes of links that are saved already.
type ImportDuplicates string

// The values of ImportDuplicates. UpdateDuplicates is the default. Neither changes a text.
const (
	SkipDuplicates   ImportDuplicates = "skip"   // leave them as they are
	UpdateDuplicates ImportDuplicates = "update" // add the lists and tags of the file
)

// WithDefaults returns the options without zero values, except for Visibility.
func (o ImportOptions) WithDefaults() ImportOptions {
	if o.Folders == "" {
		o.Folders = FoldersToNested
	}
	if o.FolderNames == "" {
		o.FolderNames = FolderPath
	}
	if o.OnDuplicate == "" {
		o.OnDuplicate = UpdateDuplicates
	}
	return o
}

// Validate returns an error for the first option with an unknown value.
func (o ImportOptions) Validate() error {
	switch o.Folders {
	case "", FoldersToNested, FoldersToFlat, FoldersToTags, FoldersToBoth, FoldersIgnored:
	default:
		return InvalidInput(Problem{Field: FieldFolders, Rule: RuleExists}, "invalid value %q for folders: use nested, flat, tags, both or none", o.Folders)
	}
	switch o.FolderNames {
	case "", FolderPath, FolderLeaf:
	default:
		return InvalidInput(Problem{Field: FieldFolderNames, Rule: RuleExists}, "invalid value %q for folder names: use path or leaf", o.FolderNames)
	}
	switch o.OnDuplicate {
	case "", SkipDuplicates, UpdateDuplicates:
	default:
		return InvalidInput(Problem{Field: FieldOnDuplicate, Rule: RuleExists}, "invalid value %q for duplicates: use skip or update", o.OnDuplicate)
	}
	if o.Visibility != 0 && !o.Visibility.Valid() {
		return InvalidInput(Problem{Field: FieldVisibility, Rule: RuleExists}, "invalid visibility %d: use public, internal or private", int(o.Visibility))
	}
	return nil
}

// ImportProblem is about a row of a file that was not saved, or not as the file has it.
type ImportProblem struct {
	Line  int    // counted from 1: the line of a text file, or the number of the record
	URL   string // at most MaxProblemURL characters; "" if there is none
	Saved bool   // the row was saved, except for what the problem is about

	// Text says in English why the row, or a part of it, could not be read. Problem is the rule that the
	// row breaks. One of the two can be zero.
	Text string
	Problem
}

// MaxProblemURL is the maximum length of ImportProblem.URL in characters.
const MaxProblemURL = 200

// NewImportProblem returns a problem with a shortened URL.
func NewImportProblem(line int, url string, saved bool, p Problem) ImportProblem {
	return ImportProblem{Line: line, URL: truncate(url, MaxProblemURL), Saved: saved, Problem: p}
}

// String describes the problem for operators.
func (p ImportProblem) String() string {
	text := p.Reason()
	if p.URL != "" {
		text = p.URL + ": " + text
	}
	return fmt.Sprintf("line %d: %s", p.Line, text)
}

// Reason says what is wrong, for operators and clients.
func (p ImportProblem) Reason() string {
	switch {
	case p.Text != "":
		return p.Text
	case p.Field == FieldURL && p.Rule == RuleRequired:
		return "no URL"
	case p.Field == FieldURL && p.Rule == RuleFormat:
		return "a URL such as this cannot be saved"
	case p.Field == FieldURL:
		return fmt.Sprintf("the URL has more than %d bytes", p.Limit)
	case p.Field == FieldDate:
		return "the date is in the future: it was replaced by today"
	case p.Field == FieldFolders && p.Rule == RuleMaxDepth:
		return fmt.Sprintf("folders: more than %d inside each other, so the names of the deepest ones were joined", p.Limit)
	case p.Field == FieldFolders && p.Rule == RuleExists:
		return fmt.Sprintf("folders: with more than %d lists, the lists of folders stand in no list", p.Limit)
	}
	if !p.Saved {
		return p.Problem.String()
	}
	switch p.Rule {
	case RuleMaxLength:
		return fmt.Sprintf("%s: more than %d characters, so it was shortened", p.Field, p.Limit)
	case RuleMaxCount:
		return fmt.Sprintf("%s: more than %d, so the others were left out", p.Field, p.Limit)
	case RuleMaxControl, RuleNoNUL:
		return fmt.Sprintf("%s: control characters were removed", p.Field)
	}
	return fmt.Sprintf("%s: cannot be saved, so it was left out", p.Field)
}
