package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// newURL begins URLs that no earlier run has used.
var newURL = "https://new.example/" + strconv.FormatInt(time.Now().UnixNano(), 36) + "/"

// bulkSize is the number of links of one bulk operation.
const bulkSize = 1000

// BenchmarkCreate creates links one by one.
func BenchmarkCreate(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		for _, connections := range []int{1, 16, 200} {
			clients := s.dialMany(b, s.address, connections)
			run := 0
			b.Run(fmt.Sprintf("clients=%d", connections), func(b *testing.B) {
				run++
				name := fmt.Sprintf("%d/%d", connections, run)
				measureConcurrently(b, connections, func(client int, i int64) {
					mustDo(b, clients[client], "POST", "/api/v2/links", newLink(name, i))
				})
			})
		}
	})
}

// newLink returns the request body for one link.
func newLink(name string, i int64) []byte {
	return fmt.Appendf(nil, `{"url":"%s%s/%d","title":"A new link"}`, newURL, name, i)
}

// bulkCreate creates bulkSize links with three tags each and returns their ids.
func bulkCreate(b *testing.B, client *Client, name string) []int64 {
	b.Helper()
	var created []struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(mustDo(b, client, "POST", "/api/v2/bulk/links", bulkBody(name)), &created); err != nil {
		b.Fatal(err)
	}
	ids := make([]int64, len(created))
	for i, link := range created {
		ids[i] = link.ID
	}
	return ids
}

// bulkBody returns the request body for bulkSize links.
func bulkBody(name string) []byte {
	type model struct {
		URL   string   `json:"url"`
		Title string   `json:"title"`
		Tags  []string `json:"tags"`
	}
	models := make([]model, bulkSize)
	for i := range models {
		models[i] = model{
			URL:   fmt.Sprintf("%s%s/%d", newURL, name, i),
			Title: "A new link of many",
			Tags:  []string{"new", fmt.Sprintf("new %d", i%10), fmt.Sprintf("new %d", 10+i%90)},
		}
	}
	body, _ := json.Marshal(map[string]any{"models": models}) //nolint:errchkjson // strings can always be encoded
	return body
}

// BenchmarkBulkCreate creates a thousand links with three tags each.
func BenchmarkBulkCreate(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		client := s.dial(b, s.address)
		measure(b, func(i int) {
			mustDo(b, client, "POST", "/api/v2/bulk/links", bulkBody(fmt.Sprint("create/", b.N, "/", i)))
		})
	})
}

// BenchmarkBulkEdit appends tags to a thousand links, or replaces their tags.
func BenchmarkBulkEdit(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		client := s.dial(b, s.address)
		ids, err := json.Marshal(bulkCreate(b, client, "edit"))
		if err != nil {
			b.Fatal(err)
		}
		for _, mode := range []string{"append", "replace"} {
			b.Run("mode="+mode, func(b *testing.B) {
				measure(b, func(i int) {
					mustDo(b, client, "PATCH", "/api/v2/bulk/links", fmt.Appendf(nil,
						`{"models":%s,"tags":["edited","edited %d","edited %d"],"tags_mode":%q,"lists":[],"lists_mode":%[4]q,"visibility":%d}`,
						ids, i%10, 10+i%10, mode, 1+i%3))
				})
			})
		}
	})
}

// BenchmarkTrash moves a thousand links to the trash, restores them, and lists them
// there. The API restores one link per request.
func BenchmarkTrash(b *testing.B) {
	forEachSize(b, func(b *testing.B, s *testServer) {
		client := s.dial(b, s.address)
		ids := bulkCreate(b, client, "trash")
		encoded, err := json.Marshal(ids)
		if err != nil {
			b.Fatal(err)
		}
		trash := func() {
			mustDo(b, client, "DELETE", "/api/v2/bulk/delete", fmt.Appendf(nil, `{"type":"links","models":%s}`, encoded))
		}
		restore := func() {
			for _, id := range ids {
				mustDo(b, client, "PATCH", "/api/v2/trash/restore", fmt.Appendf(nil, `{"model":"link","id":%d}`, id))
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
		b.Run("do=list", func(b *testing.B) {
			trash()
			measure(b, func(int) { mustDo(b, client, http.MethodGet, "/api/v2/trash/links", nil) })
			b.StopTimer()
			restore()
		})
	})
}
