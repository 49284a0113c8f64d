package bench

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"testing"
)

// linksPerUser is the number of links of each user in BenchmarkUsers.
const linksPerUser = 1000

// users returns the number of users of BenchmarkUsers.
func users(b *testing.B) int {
	b.Helper()
	text := os.Getenv(usersVariable)
	if text == "" {
		return 20
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 {
		b.Fatalf("%s is %q: use a number of at least 2", usersVariable, text)
	}
	return n
}

// BenchmarkUsers measures what a user with a thousand private links waits for, alone in the
// database, and among other users with a thousand private links each. The number of links counts
// all users.
func BenchmarkUsers(b *testing.B) {
	for _, n := range []int{1, users(b)} {
		b.Run("links="+strconv.Itoa(n*linksPerUser), func(b *testing.B) {
			plan := Plan{Links: n * linksPerUser, Users: n, Tags: 50, Lists: 10, Separate: true}
			s := startPlan(b, plan)
			b.Cleanup(stopServers)
			for _, read := range []struct{ name, path string }{
				{"page-1", "/api/v2/links"},
				{"page-20", "/api/v2/links?page=20"},
				{"by-title", "/api/v2/links?order_by=title&order_dir=asc"},
				{"tags", "/api/v2/tags"},
				{"empty_tags", searchPath + "&empty_tags=1"},
			} {
				b.Run("do="+read.name, func(b *testing.B) { measureGET(b, s, read.path) })
			}
			for _, text := range []string{"e", "py", "中文", "com", "github", "https:", "kubernetes", "zzqqxx"} {
				b.Run("do=search-"+text, func(b *testing.B) { measureSearch(b, s, []string{text}) })
			}
			b.Run("do=create", func(b *testing.B) {
				client := s.dial(b, s.address)
				measure(b, func(i int) {
					mustDo(b, client, "POST", "/api/v2/links", newLink(fmt.Sprint("users/", n, "/", b.N), int64(i)))
				})
			})
			clients := make([]*Client, 10)
			for i := range clients {
				clients[i] = dialAs(b, s.address, s.keys[i%len(s.keys)])
			}
			for _, read := range []struct{ name, path string }{
				{"page-1", "/api/v2/links"},
				{"search-github", searchPath + "&query=" + url.QueryEscape("github")},
			} {
				b.Run("do="+read.name+"/clients=10", func(b *testing.B) {
					measureConcurrently(b, len(clients), func(client int, _ int64) { mustDo(b, clients[client], "GET", read.path, nil) })
				})
			}
		})
	}
}
