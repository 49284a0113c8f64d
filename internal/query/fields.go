package query

import (
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// fields make the conditions of fields, by name. They return nil for a value without a meaning.
var fields = map[string]func(t token) waymark.Condition{
	"tag":   func(t token) waymark.Condition { return labeled(waymark.Tags, t) },
	"list":  func(t token) waymark.Condition { return labeled(waymark.Lists, t) },
	"only":  directlyIn,
	"title": contains(waymark.InTitle),
	"url":   contains(waymark.InURL),
	"text":  contains(waymark.InDescription),
	"note":  contains(waymark.InNotes),
	"site":  onSite,

	"passage":  contains(waymark.InPassages),
	"snapshot": contains(waymark.InSnapshot),
	"copy":     contains(waymark.InSnapshot), // a shorter word for snapshot, here and after in: and has:

	"in": func(token) waymark.Condition { return nil }, // see placeOf
	"is": func(t token) waymark.Condition {
		return oneOf(waymark.States, waymark.Is(strings.ToLower(t.value)))
	},
	"has": func(t token) waymark.Condition {
		thing := waymark.Has(strings.ToLower(t.value))
		if thing == "copy" {
			thing = waymark.HasSnapshot
		}
		return oneOf(waymark.Things, thing)
	},
	"before":  dated(waymark.SavedBefore),
	"after":   dated(waymark.SavedAfter),
	"on":      dated(waymark.SavedOn),
	"changed": dated(waymark.EditedOn),
	"seen":    dated(waymark.SeenOn),
	"by":      func(t token) waymark.Condition { return waymark.OwnedBy{Name: t.value} },
}

// labeled returns the condition of a list or tag. A number after # is its id.
func labeled(kind waymark.EntityKind, t token) waymark.Labeled {
	ref := waymark.Ref{Name: t.value}
	if digits, ok := strings.CutPrefix(t.value, "#"); ok && !t.quoted && !t.star {
		if id, err := strconv.ParseInt(digits, 10, 64); err == nil && id > 0 && strconv.FormatInt(id, 10) == digits {
			ref = waymark.Ref{ID: id}
		}
	}
	return waymark.Labeled{Kind: kind, Refs: []waymark.Ref{ref}, Prefix: t.star}
}

// directlyIn returns the condition of a list without those that stand in it.
func directlyIn(t token) waymark.Condition {
	c := labeled(waymark.Lists, t)
	c.Direct = true
	return c
}

func contains(in waymark.TextFields) func(token) waymark.Condition {
	return func(t token) waymark.Condition { return waymark.Contains{Text: t.value, In: in} }
}

func oneOf[C waymark.Condition](all []C, c C) waymark.Condition {
	if !slices.ContainsFunc(all, func(other C) bool { return waymark.Condition(other) == waymark.Condition(c) }) {
		return nil
	}
	return c
}

func dated(field waymark.DateField) func(token) waymark.Condition {
	return func(t token) waymark.Condition {
		period := strings.ToLower(t.value)
		if !waymark.ValidPeriod(period) {
			return nil
		}
		return waymark.Dated{Field: field, Period: period}
	}
}

// onSite returns the condition of a host, which may be typed as the URL of a page.
func onSite(t token) waymark.Condition {
	host := waymark.Fold(t.value)
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	host = strings.Trim(host, ".")
	if host == "" || strings.ContainsAny(host, " \t\n\r\"@?#()") {
		return nil
	}
	return waymark.OnSite(host)
}
