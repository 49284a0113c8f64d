package table

import (
	"waymark/internal/waymark"
)

// Imports is the table of imports.
var Imports = New("imports",
	Generated("id", func(i *waymark.Import) *waymark.ImportID { return &i.ID }),
	Fixed("user_id", func(i *waymark.Import) *waymark.UserID { return &i.Owner }),
	Fixed("file", func(i *waymark.Import) *string { return &i.File }),
	Fixed("format", func(i *waymark.Import) *string { return &i.Format }),
	Fixed("folders", func(i *waymark.Import) *waymark.ImportFolders { return &i.Options.Folders }),
	Fixed("folder_names", func(i *waymark.Import) *waymark.ImportFolderNames { return &i.Options.FolderNames }),
	Fixed("on_duplicate", func(i *waymark.Import) *waymark.ImportDuplicates { return &i.Options.OnDuplicate }),
	Fixed("visibility", func(i *waymark.Import) *waymark.Visibility { return &i.Options.Visibility }),
	Fixed("file_bytes", func(i *waymark.Import) *int64 { return &i.Size }),
	Field("state", func(i *waymark.Import) *waymark.ImportState { return &i.State }),
	Field("error", func(i *waymark.Import) *string { return &i.Error }),
	Fixed("started_at", func(i *waymark.Import) *waymark.Time { return &i.StartedAt }),
	Field("seen_at", func(i *waymark.Import) *waymark.Time { return &i.SeenAt }),
	Field("finished_at", func(i *waymark.Import) *waymark.Time { return &i.FinishedAt }),
	Field("read_bytes", func(i *waymark.Import) *int64 { return &i.Position }),
	Field("rows_read", func(i *waymark.Import) *int { return &i.Counts.Read }),
	Field("added", func(i *waymark.Import) *int { return &i.Counts.Added }),
	Field("updated", func(i *waymark.Import) *int { return &i.Counts.Updated }),
	Field("merged", func(i *waymark.Import) *int { return &i.Counts.Merged }),
	Field("skipped", func(i *waymark.Import) *int { return &i.Counts.Skipped }),
	Field("failed", func(i *waymark.Import) *int { return &i.Counts.Failed }),
	Field("problems", func(i *waymark.Import) *int { return &i.Problems }),
	Field("steps", func(i *waymark.Import) *int { return &i.Steps }),
	Field("undone", func(i *waymark.Import) *int { return &i.Undone.Done }),
	Field("kept_edited", func(i *waymark.Import) *int { return &i.Undone.Edited }),
	Field("kept_with_notes", func(i *waymark.Import) *int { return &i.Undone.WithNotes }),
)

// ImportProblemColumns are the columns of import_problems.
var ImportProblemColumns = ParseColumns("import_id BIGINT, position BIGINT, line BIGINT, url TEXT, saved BOOLEAN, text TEXT, field TEXT, rule BIGINT, rule_limit BIGINT")
