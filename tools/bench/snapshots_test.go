package bench

import (
	"database/sql"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// markedWords are words of generated snapshots, and the fraction of the snapshots that have them.
var markedWords = []struct {
	word     string
	fraction float64
}{{"sixtypercent", 0.6}, {"onepercent", 0.01}, {"onepermyriad", 0.0001}}

// BenchmarkSearchContent measures searches of a collection in which each link has the snapshot of a
// page of about 5 KB: for words that many, few and hardly any snapshots have, for the first letters
// of words, and for several words.
func BenchmarkSearchContent(b *testing.B) {
	forEachProcess(b, func(b *testing.B, c *collection) {
		before := databaseBytes(b, c)
		since := time.Now()
		addSnapshots(b, c)
		b.Logf("words of a snapshot: %.0f bytes on disk, %s to store", float64(databaseBytes(b, c)-before)/float64(c.links), time.Since(since)/time.Duration(c.links))
		p := startProcess(b, c)
		defer p.stop(b)
		waitForIndex(b, p.metrics)
		client := c.dial(b, p.address)
		idle, _ := p.memory(b)
		for _, text := range []string{
			"sixtypercent", "onepercent", "onepermyriad", "zzqqxx", "s", "co", "con", "cons", "github",
			"sixtypercent onepercent", "sixtypercent onepermyriad", "s t c p b m d f r h",
		} {
			for _, content := range []string{"0", "1"} {
				path := "/api/v2/search/links?search_title=1&search_description=1&order_by=created_at:desc&search_content=" + content + "&query=" + url.QueryEscape(text)
				b.Run("query="+strings.ReplaceAll(text, " ", "+")+"/content="+content, func(b *testing.B) {
					hits := getPage(b, client, path).Total
					since, n := p.cpuTime(b), 0
					measure(b, func(int) {
						mustDo(b, client, "GET", path, nil)
						n++
					})
					b.ReportMetric(Milliseconds(p.cpuTime(b)-since)/float64(n), "server-cpu-ms")
					b.ReportMetric(float64(hits), "hits")
				})
			}
		}
		_, peak := p.memory(b)
		b.Logf("memory: %.0f MB when idle, at most %.0f MB", idle, peak)
	})
}

// addSnapshots stores the words of a generated snapshot for each link.
func addSnapshots(b *testing.B, c *collection) {
	b.Helper()
	db, kind := openDatabase(b, c)
	g := newSnapshotTexts()
	tx, err := db.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	rows, err := db.QueryContext(b.Context(), "SELECT id FROM links ORDER BY id")
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			b.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	text := query.NewDialect(kind).SaveSnapshotWords
	for i, id := range ids {
		if _, err := tx.ExecContext(b.Context(), text, id, strings.Join(waymark.SnapshotWords(g.next()), " ")); err != nil {
			b.Fatal(err)
		}
		if i%100 == 99 || i+1 == len(ids) {
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
			if tx, err = db.BeginTx(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := tx.Rollback(); err != nil {
		b.Fatal(err)
	}
	if kind == database.PostgreSQL {
		execute(b, db, "VACUUM ANALYZE snapshot_words")
	} else {
		execute(b, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
}

// openDatabase opens the database of a collection that no server uses.
func openDatabase(b *testing.B, c *collection) (*sql.DB, database.Kind) {
	b.Helper()
	driver, source, kind := "sqlite", "file:"+(&url.URL{Path: filepath.Join(c.options.Dir, "waymark.db")}).EscapedPath()+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-8000)&_txlock=immediate", database.SQLite
	if c.options.Database != "" {
		driver, source, kind = "pgx", c.options.Database, database.PostgreSQL
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() }) //nolint:errcheck // all statements are complete
	return db, kind
}

// databaseBytes returns the size of the database.
func databaseBytes(b *testing.B, c *collection) (n int64) {
	b.Helper()
	db, kind := openDatabase(b, c)
	text := "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	if kind == database.PostgreSQL {
		text = "SELECT pg_database_size(current_database())"
	}
	if err := db.QueryRowContext(b.Context(), text).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// snapshotTexts generates texts of pages: 800 words each, which are about 5 KB, of a vocabulary of
// 200,000 with the frequencies of a natural language (Zipf).
type snapshotTexts struct {
	random     *rand.Rand
	vocabulary []string
	rank       *rand.Zipf
}

const (
	vocabularyWords = 200_000
	wordsOfSnapshot = 800
)

func newSnapshotTexts() *snapshotTexts {
	r := rand.New(rand.NewPCG(5, 6))
	begins := strings.Fields("s s s c c c p p d d r m m b b f f t t th th h l g n w e a a o i i u v j k pr pr st st tr cr br gr fr pl cl con com re de in un")
	vowels := strings.Fields("e e e a a i i o o u ea ou ai io")
	middles := strings.Fields("n r t s l d m c p v g b nt st rt ll ss mp nd ct ng f k")
	g := &snapshotTexts{random: r, rank: rand.NewZipf(r, 1.1, 8, vocabularyWords-1)}
	for i := range vocabularyWords {
		word := begins[r.IntN(len(begins))] + vowels[r.IntN(len(vowels))]
		for n := i; n > 20; n /= 40 { // rare words are longer
			word += middles[r.IntN(len(middles))] + vowels[r.IntN(len(vowels))]
		}
		g.vocabulary = append(g.vocabulary, word+[]string{"", "s", "n", "d", "r"}[r.IntN(5)])
	}
	return g
}

// next returns a text.
func (g *snapshotTexts) next() string {
	var text strings.Builder
	for range wordsOfSnapshot {
		text.WriteString(g.vocabulary[g.rank.Uint64()] + " ")
	}
	for _, m := range markedWords {
		if g.random.Float64() < m.fraction {
			text.WriteString(m.word + " ")
		}
	}
	return text.String()
}
