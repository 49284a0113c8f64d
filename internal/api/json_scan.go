package api

import (
	"encoding/json"
	"iter"
)

// The functions in this file split valid JSON into its parts without copying. encoding/json would
// copy each part, and a body may have many megabytes.

// members yields the names and values of a JSON object in order.
func members(object json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for at := skipSpace(object, 1); object[at] != '}'; {
			end := valueEnd(object, at)
			var name string
			_ = json.Unmarshal(object[at:end], &name) // it is valid
			at = skipSpace(object, skipSpace(object, end)+1)
			end = valueEnd(object, at)
			if !yield(name, object[at:end:end]) {
				return
			}
			at = afterComma(object, end)
		}
	}
}

// elements yields the elements of a JSON array, or the values of a JSON object, in order.
func elements(raw json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
			return
		}
		if raw[0] == '{' {
			for _, value := range members(raw) {
				if !yield(value) {
					return
				}
			}
			return
		}
		for at := skipSpace(raw, 1); raw[at] != ']'; {
			end := valueEnd(raw, at)
			if !yield(raw[at:end:end]) {
				return
			}
			at = afterComma(raw, end)
		}
	}
}

// valueEnd returns the offset after the value that begins at an offset.
func valueEnd(b []byte, at int) int {
	switch b[at] {
	case '"':
		for at++; b[at] != '"'; at++ {
			if b[at] == '\\' {
				at++
			}
		}
		return at + 1
	case '[', '{':
		for depth := 0; ; {
			switch b[at] {
			case '"':
				at = valueEnd(b, at)
				continue
			case '[', '{':
				depth++
			case ']', '}':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(b) && !isSpace(b[at]) && b[at] != ',' && b[at] != ']' && b[at] != '}' {
		at++
	}
	return at
}

// afterComma returns the offset of the next value after a value that ends at an offset, or the
// offset of the closing bracket.
func afterComma(b []byte, end int) int {
	at := skipSpace(b, end)
	if b[at] == ',' {
		at = skipSpace(b, at+1)
	}
	return at
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && isSpace(b[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
