package api

// LinkAce's names, sentences and order of invalid fields.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// fieldNames are the fields that LinkAce calls otherwise.
var fieldNames = map[waymark.Field]string{
	waymark.FieldText: "note", waymark.FieldLink: "link_id", waymark.FieldEntities: "models", waymark.FieldParent: "parent_id",
	waymark.FieldPassages: "exact", waymark.FieldSavedSearches: "name",
}

// fieldName returns LinkAce's name of a field.
func fieldName(field waymark.Field) string {
	return cmp.Or(fieldNames[field], strings.ReplaceAll(string(field), " ", "_"))
}

// fieldPath returns the path of an entity's field, and modelPath that of a field of a model in a
// bulk request.
func fieldPath(_ int, field string) string     { return field }
func modelPath(index int, field string) string { return fmt.Sprintf("models.%d.%s", index, field) }

// wordProblems returns LinkAce's sentences for all errors in the input. A field or a model with mistakes has no other
// errors.
func wordProblems(invalid *waymark.ValidationError, path func(index int, field string) string, mistakes fieldErrors) fieldErrors {
	all := slices.Clone(mistakes)
	notDecoded := map[string]bool{}
	for _, e := range mistakes {
		notDecoded[e.field] = true
	}
	for _, p := range invalid.Problems {
		name := fieldName(p.Field)
		field := path(p.Index, name)
		if p.Field == waymark.FieldEntities {
			field = name
		}
		if model := strings.TrimSuffix(path(p.Index, ""), "."); !notDecoded[field] && !notDecoded[model] {
			all.add(field, "%s", sentence(p, fieldLabel(name)))
		}
	}
	return all
}

// sentence returns LinkAce's sentence for a broken rule. Clients compare some of them.
func sentence(p waymark.Problem, label string) string {
	switch p.Rule {
	case waymark.RuleRequired:
		return fmt.Sprintf("The %s field is required.", label)
	case waymark.RuleFormat:
		return fmt.Sprintf("The %s format is invalid.", label)
	case waymark.RuleMaxLength:
		return fmt.Sprintf("The %s must not be greater than %d characters.", label, p.Limit)
	case waymark.RuleMaxBytes:
		return fmt.Sprintf("The %s must not be greater than %d bytes.", label, p.Limit)
	case waymark.RuleMaxControl:
		return fmt.Sprintf("The %s must not have more than %d control characters.", label, p.Limit)
	case waymark.RuleMaxCount:
		if p.Field == waymark.FieldSavedSearches {
			return fmt.Sprintf("You must not have more than %d saved searches.", p.Limit)
		}
		if p.Field == waymark.FieldPassages {
			return fmt.Sprintf("You must not mark more than %d passages of a link.", p.Limit)
		}
		if p.Field == waymark.FieldEntities {
			return fmt.Sprintf("One request must not attach more than %d lists and tags, counted for each link.", p.Limit)
		}
		if p.Field == waymark.FieldParent {
			return fmt.Sprintf("Lists can stand in each other only if you have at most %d.", p.Limit)
		}
		return fmt.Sprintf("A link must not have more than %d %s, including those in the trash and private ones of other users.", p.Limit, label)
	case waymark.RuleNoNUL:
		return fmt.Sprintf("The %s must not contain the character U+0000.", label)
	case waymark.RuleUnique:
		return fmt.Sprintf("The %s has already been taken.", label)
	case waymark.RuleExists:
		return fmt.Sprintf("The selected %s is invalid.", label)
	case waymark.RuleMaxDepth:
		return fmt.Sprintf("The %s must not put lists more than %d deep.", label, p.Limit)
	case waymark.RuleNotPrivate:
		return "A private list has no other editors: change its visibility first."
	case waymark.RuleNotInside:
		if p.Field == waymark.FieldQuery {
			return "The query must not contain the smart list itself."
		}
		return fmt.Sprintf("The %s must not be the list itself or one of its sublists.", label)
	}
	return fmt.Sprintf("The %s is invalid.", label)
}

// fieldLabel returns the name of a field as it appears in sentences.
func fieldLabel(field string) string { return strings.ReplaceAll(field, "_", " ") }

// fieldOrder is the order of the fields in a response with several errors.
var fieldOrder = []string{
	"model", "type", "models", "id", "link_id", "url", "name", "exact", "prefix", "suffix", "note", "title", "description", "parent_id", "position", "who", "users", "before", "keep", "merge", "links", "query", "only_lists", "only_tags", "broken_only",
	"lists", "lists_mode", "tags", "tags_mode", "visibility", "is_private", "check_disabled", "unread", "archived", "favorite",
}

// compareFields compares paths such as "models.2.url" by their number, then by their field.
func compareFields(a, b string) int {
	numberA, fieldA := splitPath(a)
	numberB, fieldB := splitPath(b)
	return cmp.Or(cmp.Compare(numberA, numberB), cmp.Compare(slices.Index(fieldOrder, fieldA), slices.Index(fieldOrder, fieldB)), cmp.Compare(fieldA, fieldB))
}

// splitPath splits models.2.url into 2 and url. The number of other paths is -1.
func splitPath(path string) (number int, field string) {
	rest, ok := strings.CutPrefix(path, "models.")
	if !ok {
		return -1, path
	}
	digits, field, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return -1, path
	}
	return number, field
}
