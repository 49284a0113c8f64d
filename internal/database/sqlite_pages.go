package database

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// StoredTable describes a table for Salvage.
type StoredTable struct {
	Name         string
	Columns      int // that are stored
	WithoutRowid bool
}

// Salvage reads the rows of tables from the pages of a SQLite database that is damaged, without SQLite. It passes each
// row to use, table by table: the name of the table, the key of the row (0 in tables WITHOUT ROWID), and the values of its
// columns, of which the last ones may be missing. Rows on damaged pages are left out, and a text whose pages are damaged
// is cut.
// If an inner page of a table is damaged, its rows come from the pages to which no page leads. No process may use the
// database. https://www.sqlite.org/fileformat2.html describes the format.
func Salvage(dir string, tables []StoredTable, use func(table string, key int64, values []any)) error {
	s, err := openPages(filepath.Join(dir, SQLiteFile))
	if err != nil {
		return err
	}
	defer s.close()
	roots, whole := s.roots(), map[string]bool{}
	walk := func(name string) {
		whole[name] = s.walk(roots[name], func(key int64, values []any) { use(name, key, values) })
		delete(roots, name)
	}
	for _, t := range tables {
		walk(t.Name)
	}
	for name := range roots {
		walk(name)
	}
	// A page that nothing leads to belongs to a table that is not whole. If there are several, the number of columns tells.
	for n := uint32(1); n <= s.count; n++ {
		if s.seen[n] {
			continue
		}
		kind := s.read(n)[0]
		if kind != tableLeaf && kind != indexLeaf && kind != indexInner {
			continue
		}
		s.walk(n, func(key int64, values []any) {
			i := slices.IndexFunc(tables, func(t StoredTable) bool {
				return !whole[t.Name] && t.WithoutRowid == (kind != tableLeaf) && t.Columns == len(values)
			})
			if i >= 0 {
				use(tables[i].Name, key, values)
			}
		})
	}
	return s.failed
}

// pages reads the pages of a file and of its write-ahead log.
type pages struct {
	file, log *os.File
	logged    map[uint32]int64 // where the newest version of a page is in the log
	count     uint32
	seen      []bool   // the pages that were read as a part of a table or an index
	marked    []uint32 // the same pages, in order
	failed    error    // of reading the file
}

func openPages(name string) (*pages, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, accessError("open", name, err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	s := &pages{file: file, logged: map[uint32]int64{}, count: uint32((info.Size() + pageSize - 1) / pageSize)}
	if s.log, err = os.Open(name + "-wal"); err == nil {
		s.readLog()
	}
	s.seen = make([]bool, s.count+1)
	return s, nil
}

func (s *pages) close() {
	_ = s.file.Close() // nothing was written
	_ = s.log.Close()
}

// readLog finds the pages of the transactions in the write-ahead log. A frame with another salt is older.
func (s *pages) readLog() {
	const headerSize, frameHeader = 32, 24
	var header [headerSize]byte
	if _, err := s.log.ReadAt(header[:], 0); err != nil {
		return
	}
	transaction := map[uint32]int64{}
	for at := int64(headerSize); ; at += frameHeader + pageSize {
		var frame [frameHeader]byte
		if _, err := s.log.ReadAt(frame[:], at); err != nil || string(frame[8:16]) != string(header[16:24]) {
			return
		}
		transaction[binary.BigEndian.Uint32(frame[:])] = at + frameHeader
		size := binary.BigEndian.Uint32(frame[4:])
		if size == 0 {
			continue
		}
		for n, at := range transaction {
			s.logged[n] = at
		}
		s.count = max(s.count, size)
	}
}

// read returns a page. What lies beyond the end of the file is zero.
func (s *pages) read(n uint32) []byte {
	page := make([]byte, pageSize)
	var err error
	if at, ok := s.logged[n]; ok {
		_, err = s.log.ReadAt(page, at)
	} else {
		_, err = s.file.ReadAt(page, int64(n-1)*pageSize)
	}
	if err != nil && err != io.EOF && s.failed == nil {
		s.failed = fmt.Errorf("read page %d: %w", n, err)
	}
	return page
}

// mark reads a page as a part of a table or an index.
func (s *pages) mark(n uint32) []byte {
	s.seen[n] = true
	s.marked = append(s.marked, n)
	return s.read(n)
}

// roots returns the first pages of tables and indexes, by name. If the pages with the schema are damaged, it looks for
// their rows in all pages.
func (s *pages) roots() map[string]uint32 {
	found := map[string]uint32{}
	add := func(_ int64, row []any) {
		if len(row) != 5 {
			return
		}
		kind, _ := row[0].(string)
		name, _ := row[1].(string)
		if root, _ := row[3].(int64); (kind == "table" || kind == "index") && root > 0 && root <= int64(s.count) {
			found[name] = uint32(root)
		}
	}
	if s.walk(1, add) {
		return found
	}
	for n := uint32(2); n <= s.count; n++ {
		if s.seen[n] || s.read(n)[0] != tableLeaf {
			continue
		}
		marked, before := len(s.marked), len(found)
		s.walk(n, add)
		if len(found) == before { // it has other rows
			for _, n := range s.marked[marked:] {
				s.seen[n] = false
			}
			s.marked = s.marked[:marked]
		}
	}
	return found
}

// The kinds of pages of a b-tree.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// walk passes the rows of a b-tree to use, from the page with its root on. It reports whether all pages could be read.
func (s *pages) walk(n uint32, use func(key int64, values []any)) (whole bool) {
	if n == 0 || n > s.count || s.seen[n] {
		return false
	}
	page := s.mark(n)
	start, header := 0, 8
	if n == 1 {
		start = 100 // the header of the file
	}
	kind := page[start]
	switch kind {
	case indexInner, tableInner:
		header = 12
	case indexLeaf, tableLeaf:
	default:
		return false
	}
	cells := int(binary.BigEndian.Uint16(page[start+3:]))
	if start+header+2*cells > pageSize {
		return false
	}
	whole = true
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[start+header+2*i:]))
		cell := page[min(at, pageSize):]
		if header == 12 {
			if len(cell) < 4 {
				return false
			}
			whole = s.walk(binary.BigEndian.Uint32(cell), use) && whole
			cell = cell[4:]
		}
		if kind != tableInner {
			whole = s.row(cell, kind == tableLeaf, use) && whole
		}
	}
	if header == 12 {
		whole = s.walk(binary.BigEndian.Uint32(page[start+8:]), use) && whole
	}
	return whole
}

// row passes the row in a cell to use. It reports whether it could be read.
func (s *pages) row(cell []byte, hasKey bool, use func(key int64, values []any)) bool {
	size, cell, ok := varint(cell)
	key := int64(0)
	if ok && hasKey {
		key, cell, ok = varint(cell)
	}
	if !ok || size < 1 || size > math.MaxInt32 {
		return false
	}
	inPage := int(size)
	most := (pageSize-12)*64/255 - 23
	if hasKey {
		most = pageSize - 35
	}
	if inPage > most {
		least := (pageSize-12)*32/255 - 23
		if inPage = least + (int(size)-least)%(pageSize-4); inPage > most {
			inPage = least
		}
	}
	if inPage > len(cell) {
		return false
	}
	record, whole := append(make([]byte, 0, size), cell[:inPage]...), true
	if inPage < int(size) {
		if len(cell) < inPage+4 {
			return false
		}
		next := binary.BigEndian.Uint32(cell[inPage:])
		for len(record) < int(size) && whole {
			if whole = next > 0 && next <= s.count && !s.seen[next]; !whole {
				record = append(record, make([]byte, int(size)-len(record))...)
				break
			}
			page := s.mark(next)
			next = binary.BigEndian.Uint32(page)
			record = append(record, page[4:min(pageSize, 4+int(size)-len(record))]...)
		}
	}
	values, ok := decodeRecord(record)
	if !ok {
		return false
	}
	use(key, values)
	return whole
}

// decodeRecord returns the values of a record: nil, int64, float64, string or []byte.
func decodeRecord(record []byte) (values []any, ok bool) {
	size, types, ok := varint(record)
	if !ok || size < 1 || size > int64(len(record)) {
		return nil, false
	}
	body := record[size:]
	types = types[:int(size)-(len(record)-len(types))]
	for len(types) > 0 {
		var kind int64
		if kind, types, ok = varint(types); !ok || kind < 0 {
			return nil, false
		}
		length := int64(0)
		switch {
		case kind <= 4:
			length = kind
		case kind == 5:
			length = 6
		case kind <= 7:
			length = 8
		case kind >= 12:
			length = (kind - 12) / 2
		}
		if length > int64(len(body)) {
			return nil, false
		}
		value := body[:length]
		body = body[length:]
		switch {
		case kind == 0:
			values = append(values, nil)
		case kind == 7:
			values = append(values, math.Float64frombits(binary.BigEndian.Uint64(value)))
		case kind < 7:
			n := int64(0)
			for i, b := range value {
				if i == 0 {
					n = int64(int8(b))
				} else {
					n = n<<8 | int64(b)
				}
			}
			values = append(values, n)
		case kind == 8 || kind == 9:
			values = append(values, kind-8)
		case kind >= 12 && kind%2 == 0:
			values = append(values, append([]byte{}, value...))
		case kind >= 13:
			values = append(values, strings.ToValidUTF8(strings.TrimRight(string(value), "\x00"), "\uFFFD"))
		default:
			return nil, false
		}
	}
	return values, true
}

// varint reads an integer of up to nine bytes.
func varint(b []byte) (n int64, rest []byte, ok bool) {
	for i, c := range b {
		if i == 8 {
			return n<<8 | int64(c), b[9:], true
		}
		n = n<<7 | int64(c&0x7f)
		if c < 0x80 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}
