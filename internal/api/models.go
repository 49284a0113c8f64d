package api

import (
	"encoding/json"
	"iter"
	"strconv"

	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// ids are the ids of a bulk change, without duplicates.
type ids struct {
	limit  int // is set before the body is decoded
	values []int64
}

func (i *ids) UnmarshalJSON(raw []byte) error {
	var values []int64
	seen := map[int64]bool{}
	for element, err := range elementsUpTo(raw, i.limit) {
		if err != nil {
			return err
		}
		id, ok := integer(element)
		if !ok {
			return wording("The {field} must be numbers: " + rest.Excerpt(string(element)) + " is none.")
		}
		if !seen[id] {
			seen[id] = true
			values = append(values, id)
		}
	}
	i.values = values
	return nil
}

// models are the entities of a bulk create. Their mistakes are fieldErrors.
type models[B any, F fieldsOf[B, In], In any] struct {
	limit  int // is set before the body is decoded
	inputs []In
}

// fieldsOf are the fields of an entity in a body, and the input that they stand for.
type fieldsOf[B, In any] interface {
	*B
	input() In
}

func (m *models[B, F, In]) UnmarshalJSON(raw []byte) error {
	var wrong mistakes
	refs := 0
	for element, err := range elementsUpTo(raw, m.limit) {
		if err != nil {
			return err
		}
		n := len(m.inputs)
		wrong.prefix = modelPath(n, "")
		body := new(B)
		if element[0] == '{' {
			wrong.decode(element, body)
		} else {
			wrong.add("models."+strconv.Itoa(n), "The models.%d must be an object.", n)
		}
		m.inputs = append(m.inputs, F(body).input())
		if link, ok := any(body).(*linkFields); ok {
			refs += len(link.Lists.refs()) + len(link.Tags.refs())
		}
		if err := waymark.CheckPairs(refs); err != nil {
			return err
		}
	}
	return wrong.err()
}

// elementsUpTo yields the elements of an array, at most limit, and then errTooMany.
func elementsUpTo(raw json.RawMessage, limit int) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		if isEmpty(raw) {
			return
		}
		if raw[0] != '[' {
			yield(nil, wording("The {field} must be an array."))
			return
		}
		n := 0
		for element := range rest.Elements(raw) {
			if n == limit {
				yield(nil, errTooMany(limit))
				return
			}
			if !yield(element, nil) {
				return
			}
			n++
		}
	}
}
