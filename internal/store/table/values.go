package table

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// StorableText reports whether both databases take a text: valid UTF-8 without NUL.
func StorableText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// Storable returns s with U+FFFD for what a StorableText does not contain.
func Storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// PlainIDs returns ids of one kind as integers.
func PlainIDs[ID waymark.ID](ids []ID) []int64 {
	return waymark.Map(ids, func(id ID) int64 { return int64(id) })
}

// InBatches calls change with 500 values at a time, until ctx ends.
func InBatches[T any](ctx context.Context, values []T, change func(batch []T) error) error {
	for batch := range slices.Chunk(values, query.BatchSize) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := change(batch); err != nil {
			return err
		}
	}
	return nil
}

// Unique returns the values sorted, each once.
func Unique[T int64 | string](values []T) []T {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// HashText returns the hash of a secret as tables have it.
func HashText(hash []byte) string { return base64.RawURLEncoding.EncodeToString(hash) }

// ParseHash returns the hash that HashText has encoded.
func ParseHash(text string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(text) }
