package doctor

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// errUndo rolls back the changes of a check.
var errUndo = errors.New("undo")

// checkLog makes changes in a transaction that is rolled back, and checks that the triggers
// count and log them, because searches rely on the log.
func (d *doctor) checkLog(ctx context.Context, _ bool) (Result, error) {
	var found []string
	err := d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		var err error
		if found, err = tryTriggers(ctx, q); err != nil {
			return err
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		return Result{}, err
	}
	if d.db.Kind() == database.SQLite {
		missing, err := database.QueryOne(ctx, d.db.Querier(), database.ScanValue[int], "SELECT coalesce(max(seq) - min(seq) + 1 - count(*), 0) FROM changes")
		if err != nil {
			return Result{}, err
		}
		if missing > 0 {
			found = append(found, fmt.Sprintf("%d changes are missing in the log", missing))
		}
	}
	if len(found) > 0 {
		return Result{Status: Problem, Detail: fewOf(found), Advice: "another program changed the tables: copy the data into a new database with waymark migrate database"}, nil
	}
	return Result{Status: OK, Detail: "a change that was tried and undone was counted and logged"}, nil
}

// tryTriggers changes rows of every kind, and returns what was not logged or counted.
func tryTriggers(ctx context.Context, q database.Querier) (found []string, err error) {
	userIDs, err := table.Insert[waymark.UserID](ctx, q, &table.Users, []table.UserRow{{User: waymark.User{Name: "waymark doctor, undone"}}})
	if err != nil {
		return nil, err
	}
	count := func() (int, error) {
		return database.QueryOne(ctx, q, database.ScanValue[int], "SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM counters WHERE user_id = $1", userIDs[0])
	}
	before, err := count() // may be wrong already, which checkCounters reports
	if err != nil {
		return nil, err
	}
	steps, err := triggerSteps(ctx, q, userIDs[0])
	if err != nil {
		return nil, err
	}
	logged := map[string]int{}
	for _, step := range steps {
		if step.text != "" {
			if _, err := q.Exec(ctx, step.text); err != nil {
				return nil, fmt.Errorf("%s: %w", step.what, err)
			}
		}
		changes, err := database.QueryOne(ctx, q, database.ScanValue[int], "SELECT count(*) FROM changes WHERE entity = $1 AND id = $2", step.entity, step.id)
		if err != nil {
			return nil, err
		}
		if changes <= logged[step.entity] {
			found = append(found, step.what+" is not logged")
		}
		logged[step.entity] = changes
		counted, err := count()
		if err != nil {
			return nil, err
		}
		if counted-before != step.count {
			found = append(found, step.what+" is not counted")
			before = counted - step.count // so that the next steps are compared with this state
		}
	}
	return found, nil
}

// triggerStep is a change that triggers must log and count.
type triggerStep struct {
	what, text string // text is the statement, "" if it has run
	entity     string // the table of the entity for which the change is logged
	id         int64  // of this entity
	count      int    // of the user's active links, lists and tags after the change
}

// triggerSteps inserts a link, a list and a tag of a user, and returns this as steps, and the next ones.
func triggerSteps(ctx context.Context, q database.Querier, user waymark.UserID) ([]triggerStep, error) {
	linkIDs, err := table.Insert[waymark.LinkID](ctx, q, &table.Links, []waymark.Link{{Owner: user, Visibility: waymark.Private, URL: "https://example.org/"}})
	if err != nil {
		return nil, err
	}
	listIDs, err := table.Insert[waymark.ListID](ctx, q, &table.Lists, []waymark.List{{Owner: user, Visibility: waymark.Private}})
	if err != nil {
		return nil, err
	}
	tagIDs, err := table.Insert[waymark.TagID](ctx, q, &table.Tags, []waymark.Tag{{Owner: user, Visibility: waymark.Private}})
	if err != nil {
		return nil, err
	}
	link, list, tag := int64(linkIDs[0]), int64(listIDs[0]), int64(tagIDs[0])
	return []triggerStep{
		{"an insert into links", "", "links", link, 3},
		{"an insert into lists", "", "lists", list, 3},
		{"an insert into tags", "", "tags", tag, 3},
		{"an insert into link_lists", fmt.Sprintf("INSERT INTO link_lists (link_id, list_id) VALUES (%d, %d)", link, list), "links", link, 3},
		{"an insert into link_tags", fmt.Sprintf("INSERT INTO link_tags (link_id, tag_id) VALUES (%d, %d)", link, tag), "links", link, 3},
		{"a delete from link_lists", fmt.Sprintf("DELETE FROM link_lists WHERE link_id = %d", link), "links", link, 3},
		{"a delete from link_tags", fmt.Sprintf("DELETE FROM link_tags WHERE link_id = %d", link), "links", link, 3},
		{"an update of links", fmt.Sprintf("UPDATE links SET deleted_at = 1 WHERE id = %d", link), "links", link, 2},
		{"an update of lists", fmt.Sprintf("UPDATE lists SET deleted_at = 1 WHERE id = %d", list), "lists", list, 1},
		{"an update of tags", fmt.Sprintf("UPDATE tags SET deleted_at = 1 WHERE id = %d", tag), "tags", tag, 0},
		{"a restore of links", fmt.Sprintf("UPDATE links SET deleted_at = 0 WHERE id = %d", link), "links", link, 1},
		{"a restore of lists", fmt.Sprintf("UPDATE lists SET deleted_at = 0 WHERE id = %d", list), "lists", list, 2},
		{"a restore of tags", fmt.Sprintf("UPDATE tags SET deleted_at = 0 WHERE id = %d", tag), "tags", tag, 3},
		{"a delete from links", fmt.Sprintf("DELETE FROM links WHERE id = %d", link), "links", link, 2},
		{"a delete from lists", fmt.Sprintf("DELETE FROM lists WHERE id = %d", list), "lists", list, 1},
		{"a delete from tags", fmt.Sprintf("DELETE FROM tags WHERE id = %d", tag), "tags", tag, 0},
	}, nil
}
