package linkace

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// atOnce makes n calls together and returns how many answers there were of each status.
func atOnce(n int, call func(i int) reply) map[int]int {
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
		t.Errorf("got %v answers of each status, want %v", got, want)
	}
}

func TestOneOfManyEqualCreationsWins(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for range 3 {
			url, name := s.next(), s.next()
			wantStatuses(t, atOnce(20, func(int) reply { return ann.post(t, "/links", `{"url":"https://`+url+`.example"}`) }), map[int]int{200: 1, 422: 19})
			wantStatuses(t, atOnce(20, func(i int) reply {
				return ann.post(t, "/tags", `{"name":"`+[]string{name, strings.ToUpper(name)}[i%2]+`"}`)
			}), map[int]int{200: 1, 422: 19})
		}
		wantStatuses(t, atOnce(20, func(int) reply {
			return ann.post(t, "/bulk/links", `{"models":[{"url":"https://bulk1.example"},{"url":"https://bulk2.example"}]}`)
		}), map[int]int{200: 1, 422: 19})
		ann.get(t, "/links").has(t, "total", "5")
		ann.get(t, "/tags").has(t, "total", "3")
	})
}

func TestManyCreationsMakeANewListOrTagOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *site) {
		ann, ben := s.person(t, "ann"), s.person(t, "ben")
		wantStatuses(t, atOnce(24, func(i int) reply {
			who := []*person{ann, ben}[i%2]
			url := "https://" + strconv.Itoa(i) + ".example"
			name := []string{"Fresh", "FRESH", "fresh"}[i%3]
			if i%4 == 3 {
				return who.post(t, "/bulk/links", `{"models":[{"url":"`+url+`","lists":"`+name+`","tags":["`+name+`"]}]}`)
			}
			return who.post(t, "/links", `{"url":"`+url+`","lists":"`+name+`","tags":["`+name+`"]}`)
		}), map[int]int{200: 24})
		for _, who := range []*person{ann, ben} {
			for _, kind := range []string{"lists", "tags"} {
				all := who.get(t, "/"+kind).ok(t)
				all.has(t, "total", "1")
				who.get(t, "/"+kind+"/"+all.at(t, "data.0.id")+"/links").has(t, "total", "12")
			}
		}
	})
}

func TestCountersStayRightWhenManyTrashAndRestore(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		var models []string
		for i := range 10 {
			models = append(models, `{"url":"https://`+strconv.Itoa(i)+`.example","lists":"l","tags":"t","visibility":`+strconv.Itoa(1+i%3)+`}`)
		}
		ann.post(t, "/bulk/links", `{"models":[`+strings.Join(models, ",")+`]}`).ok(t)
		statuses := atOnce(60, func(i int) reply {
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
				t.Errorf("got %v answers of each status, want 200 and 404 alone", statuses)
			}
		}
		// The total comes from the counters, and everything on one page from the links themselves.
		all := ann.get(t, "/links?per_page=-1").ok(t)
		active := strings.Count(all.body, `"url":"https://`)
		all.has(t, "total", strconv.Itoa(active))
		trashed := strings.Count(ann.get(t, "/trash/links").body, `"url":"https://`)
		if active+trashed != 10 {
			t.Errorf("got %d active links and %d in the trash, want 10 together", active, trashed)
		}
		ann.get(t, "/tags/1/links?per_page=-1").has(t, "total", strconv.Itoa(active))
		ann.get(t, "/search/links?query=example&per_page=-1").has(t, "total", strconv.Itoa(active))
		for id := range 10 {
			ann.patch(t, "/trash/restore", `{"model":"link","id":`+strconv.Itoa(id+1)+`}`).ok(t)
		}
		ann.get(t, "/links").has(t, "total", "10")
		ann.get(t, "/search/links?query=example").has(t, "total", "10")
	})
}

func TestOneOfManyTrashingsOfALinkWins(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		wantStatuses(t, atOnce(10, func(int) reply { return ann.delete(t, "/links/1", "") }), map[int]int{200: 1, 404: 9})
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.delete(t, "/links/2", "").ok(t)
		// Of two with one address, one can come back.
		wantStatuses(t, atOnce(10, func(i int) reply {
			return ann.patch(t, "/trash/restore", `{"model":"link","id":`+strconv.Itoa(1+i%2)+`}`)
		}), map[int]int{200: 5, 422: 5})
		ann.get(t, "/links").has(t, "total", "1")
		// A clear and a restore: the link is there or it is not.
		ann.delete(t, "/bulk/delete?type=links&models=1,2", "").ok(t)
		restored := atOnce(2, func(i int) reply {
			if i == 0 {
				return ann.delete(t, "/trash/clear", `{"model":"links"}`)
			}
			return ann.patch(t, "/trash/restore", `{"model":"link","id":1}`)
		})
		ann.get(t, "/links").has(t, "total", map[bool]string{true: "1", false: "0"}[restored[200] == 2])
	})
}

func TestReadersSeeWholeChanges(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		var models []string
		for i := range 50 {
			models = append(models, `{"url":"https://`+strconv.Itoa(i)+`.example","tags":"t"}`)
		}
		body := `{"models":[` + strings.Join(models, ",") + `]}`
		atOnce(12, func(i int) reply {
			switch i {
			case 0:
				return ann.post(t, "/bulk/links", body).ok(t)
			case 1:
				return ann.post(t, "/bulk/tags", `{"models":[{"name":"a"},{"name":"b"}]}`).ok(t)
			}
			path := []string{"/links?per_page=-1", "/links?per_page=30", "/search/links?query=example&per_page=-1", "/tags"}[i%4]
			got := ann.get(t, path).ok(t)
			if total := got.at(t, "total"); total != "0" && total != "50" && i%4 != 3 {
				t.Errorf("%s: got a total of %s, want all or nothing", path, total)
			} else if to := got.at(t, "to"); to != total && i%4 != 1 && i%4 != 3 {
				t.Errorf("%s: got to %s of %s", path, to, total)
			}
			return got
		})
	})
}
