package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"
)

// fresh makes addresses that no other run has used.
var fresh = "https://fresh.example/" + strconv.FormatInt(time.Now().UnixNano(), 36) + "/"

// aThousand is how many links the bulk operations are measured with.
const aThousand = 1000

// BenchmarkCreate adds links one by one, beside a bare handler that runs the same SQL
// in one transaction for each.
func BenchmarkCreate(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		answer := slices.Clone(must(b, on.dial(b, on.address), "POST", "/api/v2/links", newLink("first", 0)))
		handler, err := on.bare(b).AddHandler(b.Context(), answer)
		if err != nil {
			b.Fatal(err)
		}
		bare := serve(b, handler)
		for _, clients := range []int{1, 16} {
			round := 0
			at := func(b *testing.B, address string) func(client int, turn int64) {
				round++
				name := fmt.Sprintf("%d/%d", clients, round)
				all := make([]*Client, clients)
				for i := range all {
					all[i] = on.dial(b, address)
				}
				return func(client int, turn int64) { must(b, all[client], "POST", "/api/v2/links", newLink(name, turn)) }
			}
			name := fmt.Sprintf("clients=%d/handler=", clients)
			b.Run(name+"waymark", func(b *testing.B) { together(b, clients, at(b, on.address)) })
			b.Run(name+"one-transaction-each", func(b *testing.B) { together(b, clients, at(b, bare)) })
			b.Run(name+"both", func(b *testing.B) { alternate(b, clients, at(b, on.address), at(b, bare)) })
		}
	})
}

// newLink is what to send to add a link.
func newLink(name string, turn int64) []byte {
	return fmt.Appendf(nil, `{"url":"%s%s/%d","title":"A fresh link"}`, fresh, name, turn)
}

// thousand adds a thousand links with three tags each and returns their ids.
func thousand(b *testing.B, client *Client, name string) []int64 {
	b.Helper()
	var created []struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(must(b, client, "POST", "/api/v2/bulk/links", thousandBody(name)), &created); err != nil {
		b.Fatal(err)
	}
	ids := make([]int64, len(created))
	for i, link := range created {
		ids[i] = link.ID
	}
	return ids
}

// thousandBody is what to send to add a thousand links.
func thousandBody(name string) []byte {
	type model struct {
		URL   string   `json:"url"`
		Title string   `json:"title"`
		Tags  []string `json:"tags"`
	}
	models := make([]model, aThousand)
	for i := range models {
		models[i] = model{
			URL:   fmt.Sprintf("%s%s/%d", fresh, name, i),
			Title: "One of a thousand fresh links",
			Tags:  []string{"fresh", fmt.Sprintf("fresh %d", i%10), fmt.Sprintf("fresh %d", 10+i%90)},
		}
	}
	body, _ := json.Marshal(map[string]any{"models": models}) //nolint:errchkjson // texts always can be
	return body
}

// BenchmarkBulkCreate adds a thousand links with three tags each.
func BenchmarkBulkCreate(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		client := on.dial(b, on.address)
		each(b, func(turn int) {
			must(b, client, "POST", "/api/v2/bulk/links", thousandBody(fmt.Sprint("create/", b.N, "/", turn)))
		})
	})
}

// BenchmarkBulkEdit changes a thousand links: their three tags are appended to or
// replaced by others.
func BenchmarkBulkEdit(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		client := on.dial(b, on.address)
		ids, err := json.Marshal(thousand(b, client, "edit"))
		if err != nil {
			b.Fatal(err)
		}
		for _, mode := range []string{"append", "replace"} {
			b.Run("mode="+mode, func(b *testing.B) {
				each(b, func(turn int) {
					must(b, client, "PATCH", "/api/v2/bulk/links", fmt.Appendf(nil,
						`{"models":%s,"tags":["edited","edited %d","edited %d"],"tags_mode":%q,"lists":[],"lists_mode":%[4]q,"visibility":%d}`,
						ids, turn%10, 10+turn%10, mode, 1+turn%3))
				})
			})
		}
	})
}

// BenchmarkTrash moves a thousand links into the trash, and restores them one by
// one, as clients must.
func BenchmarkTrash(b *testing.B) {
	forEachSize(b, func(b *testing.B, on *running) {
		client := on.dial(b, on.address)
		ids := thousand(b, client, "trash")
		list, err := json.Marshal(ids)
		if err != nil {
			b.Fatal(err)
		}
		trash := func() {
			must(b, client, "DELETE", "/api/v2/bulk/delete", fmt.Appendf(nil, `{"type":"links","models":%s}`, list))
		}
		restore := func() {
			for _, id := range ids {
				must(b, client, "PATCH", "/api/v2/trash/restore", fmt.Appendf(nil, `{"model":"link","id":%d}`, id))
			}
		}
		b.Run("do=trash", func(b *testing.B) {
			for b.Loop() {
				trash()
				b.StopTimer()
				restore()
				b.StartTimer()
			}
		})
		b.Run("do=restore", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				trash()
				b.StartTimer()
				restore()
			}
		})
		b.Run("do=show", func(b *testing.B) {
			trash()
			each(b, func(int) { must(b, client, http.MethodGet, "/api/v2/trash/links", nil) })
			b.StopTimer()
			restore()
		})
	})
}
