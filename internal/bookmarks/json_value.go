package bookmarks

import "slices"

// jsonValue is an element of an array, or a member of an object.
type jsonValue struct {
	line  int
	key   string // of a member
	value any    // string, json.Number, bool, []jsonValue, *jsonObject, nil for null, or unusedValue
}

// jsonObject is an object of a file.
type jsonObject struct {
	line    int
	members []jsonValue
}

// has reports whether the object has a member.
func (o *jsonObject) has(key string) bool {
	return slices.ContainsFunc(o.members, func(m jsonValue) bool { return m.key == key })
}

// unusedValue is a value that is not kept, under a name that is not known.
type unusedValue struct{}

// maxPlain is how deep values of a bookmark can be in others, such as names of tags in arrays of arrays.
const maxPlain = 4

// plain returns the value as a record has it.
func (v jsonValue) plain(depth int) any {
	switch value := v.value.(type) {
	case *jsonObject:
		if depth < maxPlain {
			return newJSONRecord(value.line, value.members, depth+1)
		}
	case []jsonValue:
		var elements []any
		for _, element := range value {
			if plain := element.plain(depth + 1); plain != nil && depth < maxPlain {
				elements = append(elements, plain)
			}
		}
		if len(elements) > 0 {
			return elements
		}
	default:
		return v.value
	}
	return nil
}

// newJSONRecord returns the values of the members of an object. depth is the number of values around it.
func newJSONRecord(line int, members []jsonValue, depth int) *record {
	r := &record{line: line, isJSON: true}
	for _, m := range members {
		value := m.value
		switch _, isObject := value.(*jsonObject); {
		case !m.isContainer():
		case knownName(m.key) != "":
			value = m.plain(depth)
		case isObject:
			value = &record{}
		default:
			value = unusedValue{}
		}
		r.set(m.key, value)
	}
	return r
}

// isContainer reports whether the value is an array or an object.
func (v jsonValue) isContainer() bool {
	switch v.value.(type) {
	case *jsonObject, []jsonValue:
		return true
	}
	return false
}
