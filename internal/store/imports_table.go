package store

import (
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

var imports = table.New("imports",
	table.Generated("id", func(i *waymark.Import) *waymark.ImportID { return &i.ID }),
	table.Fixed("user_id", func(i *waymark.Import) *waymark.UserID { return &i.Owner }),
	table.Fixed("file", func(i *waymark.Import) *string { return &i.File }),
	table.Fixed("format", func(i *waymark.Import) *string { return &i.Format }),
	table.Fixed("folders", func(i *waymark.Import) *waymark.ImportFolders { return &i.Options.Folders }),
	table.Fixed("folder_names", func(i *waymark.Import) *waymark.ImportFolderNames { return &i.Options.FolderNames }),
	table.Fixed("on_duplicate", func(i *waymark.Import) *waymark.ImportDuplicates { return &i.Options.OnDuplicate }),
	table.Fixed("visibility", func(i *waymark.Import) *waymark.Visibility { return &i.Options.Visibility }),
	table.Fixed("file_bytes", func(i *waymark.Import) *int64 { return &i.Size }),
	table.Field("state", func(i *waymark.Import) *waymark.ImportState { return &i.State }),
	table.Field("error", func(i *waymark.Import) *string { return &i.Error }),
	table.Fixed("started_at", func(i *waymark.Import) *waymark.Time { return &i.StartedAt }),
	table.Field("seen_at", func(i *waymark.Import) *waymark.Time { return &i.SeenAt }),
	table.Field("finished_at", func(i *waymark.Import) *waymark.Time { return &i.FinishedAt }),
	table.Field("read_bytes", func(i *waymark.Import) *int64 { return &i.Position }),
	table.Field("rows_read", func(i *waymark.Import) *int { return &i.Counts.Read }),
	table.Field("added", func(i *waymark.Import) *int { return &i.Counts.Added }),
	table.Field("updated", func(i *waymark.Import) *int { return &i.Counts.Updated }),
	table.Field("merged", func(i *waymark.Import) *int { return &i.Counts.Merged }),
	table.Field("skipped", func(i *waymark.Import) *int { return &i.Counts.Skipped }),
	table.Field("failed", func(i *waymark.Import) *int { return &i.Counts.Failed }),
	table.Field("problems", func(i *waymark.Import) *int { return &i.Problems }),
	table.Field("steps", func(i *waymark.Import) *int { return &i.Steps }),
	table.Field("undone", func(i *waymark.Import) *int { return &i.Undone.Done }),
	table.Field("kept_edited", func(i *waymark.Import) *int { return &i.Undone.Edited }),
	table.Field("kept_with_notes", func(i *waymark.Import) *int { return &i.Undone.WithNotes }),
)

// importProblemColumns are the columns of import_problems.
var importProblemColumns = table.ParseColumns("import_id BIGINT, position BIGINT, line BIGINT, url TEXT, saved BOOLEAN, text TEXT, field TEXT, rule BIGINT, rule_limit BIGINT")
