package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

type linkCheck struct {
	link  waymark.LinkID
	owner waymark.UserID
	waymark.LinkChecks
	last string // the last checks, encoded
}

// LinkChecks is the table of what checks have found.
var LinkChecks = table.New("link_checks",
	table.Fixed("link_id", func(c *linkCheck) *waymark.LinkID { return &c.link }),
	table.Fixed("user_id", func(c *linkCheck) *waymark.UserID { return &c.owner }),
	table.Field("due_at", func(c *linkCheck) *waymark.Time { return &c.DueAt }),
	table.Field("checked_at", func(c *linkCheck) *waymark.Time { return &c.At }),
	table.Field("check_result", func(c *linkCheck) *waymark.CheckResult { return &c.Result }),
	table.Field("reason", func(c *linkCheck) *string { return &c.Reason }),
	table.Field("code", func(c *linkCheck) *int { return &c.Code }),
	table.Field("new_url", func(c *linkCheck) *string { return &c.NewURL }),
	table.Field("doubts", func(c *linkCheck) *int { return &c.Doubts }),
	table.Field("dead_days", func(c *linkCheck) *int { return &c.DeadDays }),
	table.Field("last_dead_at", func(c *linkCheck) *waymark.Time { return &c.LastDead }),
	table.Field("broken_at", func(c *linkCheck) *waymark.Time { return &c.BrokenAt }),
	table.Field("last_checks", func(c *linkCheck) *string { return &c.last }),
)

// encodeChecks returns checks as words. Each has the seconds since 1970 to the base of 36, the
// result and the code: 360 bytes for 30 checks.
func encodeChecks(checks []waymark.Check) string {
	words := make([]string, len(checks))
	for i, v := range checks {
		words[i] = strconv.FormatInt(v.At.Time().Unix(), 36) + "." + strconv.Itoa(int(v.Result)) + "." + strconv.Itoa(v.Code)
	}
	return strings.Join(words, " ")
}

// decodeChecks returns what encodeChecks has encoded.
func decodeChecks(text string) ([]waymark.Check, error) {
	var checks []waymark.Check
	for word := range strings.FieldsSeq(text) {
		at, rest, _ := strings.Cut(word, ".")
		result, code, _ := strings.Cut(rest, ".")
		seconds, err := strconv.ParseInt(at, 36, 64)
		v, err2 := strconv.Atoi(result)
		c, err3 := strconv.Atoi(code)
		if err := errors.Join(err, err2, err3); err != nil {
			return nil, fmt.Errorf("link_checks: invalid check %q: %w", word, err)
		}
		checks = append(checks, waymark.Check{At: waymark.FromTime(time.Unix(seconds, 0)), Result: waymark.CheckResult(v), Code: c})
	}
	return checks, nil
}

// getLinkCheck returns what was found about a link, or waymark.ErrNotFound.
func getLinkCheck(ctx context.Context, q database.Querier, id waymark.LinkID) (linkCheck, error) {
	check, err := LinkChecks.Get(ctx, q, "e.link_id = $1", id)
	if err == nil {
		check.Checks, err = decodeChecks(check.last)
	}
	return check, err
}

// ChecksOf returns what was found about a link, or waymark.ErrNotFound.
func ChecksOf(ctx context.Context, q database.Querier, id waymark.LinkID) (waymark.LinkChecks, error) {
	check, err := getLinkCheck(ctx, q, id)
	return check.LinkChecks, err
}

// RestoreChecks stores again what was found about a link, unless there is something newer.
func RestoreChecks(ctx context.Context, q database.Querier, owner waymark.UserID, id waymark.LinkID, checks waymark.LinkChecks) error {
	check := linkCheck{link: id, owner: owner, LinkChecks: checks, last: encodeChecks(checks.Checks)}
	return insertLinkChecks(ctx, q, []linkCheck{check}, "DO NOTHING")
}

// putLinkCheck stores what was found about a link.
func putLinkCheck(ctx context.Context, q database.Querier, check linkCheck) error {
	check.last = encodeChecks(check.Checks)
	var set []string
	for _, c := range LinkChecks.Columns {
		if c.Update {
			set = append(set, c.Name+" = excluded."+c.Name)
		}
	}
	return insertLinkChecks(ctx, q, []linkCheck{check}, "DO UPDATE SET "+strings.Join(set, ", "))
}

// insertLinkChecks inserts rows; conflict says what to do with those that exist.
func insertLinkChecks(ctx context.Context, q database.Querier, checks []linkCheck, conflict string) error {
	a := q.Args()
	_, err := q.Exec(ctx, LinkChecks.InsertSQL(a, checks)+`
		ON CONFLICT (link_id) `+conflict, a.Values...)
	return err
}
