package api

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// concurrently makes n calls at the same time and returns the number of responses with each
// status.
func concurrently(n int, call func(i int) response) map[int]int {
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			got := call(i)
			mu.Lock()
			defer mu.Unlock()
			statuses[got.status]++
		})
	}
	close(start)
	all.Wait()
	return statuses
}

func wantStatuses(t *testing.T, got, want map[int]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("got statuses %v, want %v", got, want)
	}
}

func TestConcurrentDuplicatesAreCreatedOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for range 3 {
			url, name := s.uniqueName(), s.uniqueName()
			wantStatuses(t, concurrently(20, func(int) response { return ann.post(t, "/links", `{"url":"https://`+url+`.example"}`) }), map[int]int{200: 1, 422: 19})
			wantStatuses(t, concurrently(20, func(i int) response {
				return ann.post(t, "/tags", `{"name":"`+[]string{name, strings.ToUpper(name)}[i%2]+`"}`)
			}), map[int]int{200: 1, 422: 19})
		}
		wantStatuses(t, concurrently(20, func(int) response {
			return ann.post(t, "/bulk/links", `{"models":[{"url":"https://bulk1.example"},{"url":"https://bulk2.example"}]}`)
		}), map[int]int{200: 1, 422: 19})
		ann.get(t, "/links").wantValue(t, "total", "5")
		ann.get(t, "/tags").wantValue(t, "total", "3")
	})
}

func TestConcurrentRequestsCreateListOrTagOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		wantStatuses(t, concurrently(24, func(i int) response {
			who := []*testClient{ann, ben}[i%2]
			url := "https://" + strconv.Itoa(i) + ".example"
			name := []string{"Fresh", "FRESH", "fresh"}[i%3]
			if i%4 == 3 {
				return who.post(t, "/bulk/links", `{"models":[{"url":"`+url+`","lists":"`+name+`","tags":["`+name+`"]}]}`)
			}
			return who.post(t, "/links", `{"url":"`+url+`","lists":"`+name+`","tags":["`+name+`"]}`)
		}), map[int]int{200: 24})
		for _, who := range []*testClient{ann, ben} {
			for _, kind := range []string{"lists", "tags"} {
				all := who.get(t, "/"+kind).ok(t)
				all.wantValue(t, "total", "1")
				who.get(t, "/"+kind+"/"+all.value(t, "data.0.id")+"/links").wantValue(t, "total", "12")
			}
		}
	})
}

func TestConcurrentWritesKeepCountersConsistent(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		var models []string
		for i := range 10 {
			models = append(models, `{"url":"https://`+strconv.Itoa(i)+`.example","lists":"l","tags":"t","visibility":`+strconv.Itoa(1+i%3)+`}`)
		}
		ann.post(t, "/bulk/links", `{"models":[`+strings.Join(models, ",")+`]}`).ok(t)
		statuses := concurrently(60, func(i int) response {
			id := strconv.Itoa(1 + i%10)
			switch i % 5 {
			case 0:
				return ann.delete(t, "/links/"+id, "")
			case 1:
				return ann.patch(t, "/trash/restore", `{"model":"link","id":`+id+`}`)
			case 2:
				return ann.delete(t, "/bulk/delete", `{"type":"links","models":[1,2,3,4,5]}`)
			case 3:
				return ann.patch(t, "/bulk/links", `{"models":[`+id+`,3],"lists":"m","lists_mode":"append","tags":"t","tags_mode":"replace","visibility":`+strconv.Itoa(1+i%3)+`}`)
			}
			return ann.patch(t, "/links/"+id, `{"url":"https://`+strconv.Itoa(i%10)+`.example","visibility":`+strconv.Itoa(1+i%3)+`}`)
		})
		for status := range statuses {
			if status != 200 && status != 404 {
				t.Errorf("got statuses %v, want only 200 and 404", statuses)
			}
		}
		// The total comes from the search index, the entities from the table of links.
		all := ann.get(t, "/links?per_page=-1").ok(t)
		active := strings.Count(all.body, `"url":"https://`)
		all.wantValue(t, "total", strconv.Itoa(active))
		trashed := strings.Count(ann.get(t, "/trash/links").body, `"url":"https://`)
		if active+trashed != 10 {
			t.Errorf("got %d active links and %d in the trash, want 10 together", active, trashed)
		}
		ann.get(t, "/tags/1/links?per_page=-1").wantValue(t, "total", strconv.Itoa(active))
		ann.get(t, "/search/links?query=example&per_page=-1").wantValue(t, "total", strconv.Itoa(active))
		for id := range 10 {
			ann.patch(t, "/trash/restore", `{"model":"link","id":`+strconv.Itoa(id+1)+`}`).ok(t)
		}
		ann.get(t, "/links").wantValue(t, "total", "10")
		ann.get(t, "/search/links?query=example").wantValue(t, "total", "10")
	})
}
