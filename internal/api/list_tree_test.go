package api

import "testing"

func TestListsStandInLists(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		place := "parent_id position path"
		ann.post(t, "/lists", `{"name":"Work","visibility":3}`).wantValue(t, place, `[null,0,["Work"]]`)
		ann.post(t, "/lists", `{"name":"Go","parent_id":1,"visibility":1}`).wantValue(t, place, `[1,0,["Work","Go"]]`)
		ann.post(t, "/lists", `{"name":"Ada","parent_id":1}`).wantValue(t, place, `[1,0,["Work","Ada"]]`)
		ann.post(t, "/lists", `{"name":"Home","parent_id":null}`).wantValue(t, place, `[null,0,["Home"]]`)
		ann.get(t, "/lists?tree=1").wantValue(t, "data.*.name", `["Home","Work","Ada","Go"]`)
		ann.get(t, "/lists?tree=1&per_page=2&page=2").wantValue(t, "data.*.name total", `[["Ada","Go"],4]`)
		ann.post(t, "/lists/2/move", `{"parent_id":1,"before":3}`).wantValue(t, place, `[1,1,["Work","Go"]]`)
		ann.get(t, "/lists?tree=1").wantValue(t, "data.*.name", `["Home","Work","Go","Ada"]`)
		ann.post(t, "/lists/2/move", `{"before":null}`).wantValue(t, place, `[1,2,["Work","Go"]]`)
		ann.post(t, "/lists/1/move", `{"parent_id":4}`).wantValue(t, place, `[4,0,["Home","Work"]]`)
		ann.patch(t, "/lists/3", `{"name":"Ada","parent_id":2,"position":7}`).wantValue(t, place, `[2,7,["Home","Work","Go","Ada"]]`)
		ann.patch(t, "/lists/3", `{"name":"Ada"}`).wantValue(t, place, `[2,7,["Home","Work","Go","Ada"]]`)
		ann.get(t, "/lists/2").wantValue(t, place, `[1,2,["Home","Work","Go"]]`)
		ben.get(t, "/lists/2").wantValue(t, place, `[null,2,["Go"]]`)

		ann.post(t, "/links", `{"url":"https://go.dev/","lists":["Work/Go",2]}`).wantValue(t, "lists.*.path", `[["Home","Work","Go"],["Work/Go"]]`)
		ann.post(t, "/links", `{"url":"https://home.example/","lists":[4]}`).ok(t)
		ann.get(t, "/lists/4/links").wantValue(t, "data.*.id", "[2]")
		ann.get(t, "/lists/4/links?sublists=1").wantValue(t, "data.*.id", "[1,2]")
		ann.get(t, "/lists/4/links?sublists=1&unread=1").wantValue(t, "data.*.id", "[]")
		for query, want := range map[string]string{"only_lists=4": "[1,2]", "only_lists=2": "[1]", "q=list:Home": "[1,2]", "q=-list:Go": "[2]", "only_lists=4,1&list_mode=all": "[1]"} {
			ann.get(t, "/search/links?order_by=id&order_dir=asc&"+query).wantValue(t, "data.*.id", want)
		}
		ann.get(t, "/links?order_by=id&order_dir=asc").wantValue(t, "data.0.lists.*.path", `[["Home","Work","Go"],["Work/Go"]]`)

		ann.post(t, "/lists/4/move", `{"parent_id":3}`).wantFieldErrors(t, "parent_id: The parent id must not be the list itself or one of its sublists.")
		ann.post(t, "/lists/3/move", `{"parent_id":99}`).wantFieldErrors(t, "parent_id: The selected parent id is invalid.")
		ann.post(t, "/lists/3/move", `{"before":4}`).wantFieldErrors(t, "before: The selected before is invalid.")
		ann.post(t, "/lists/3/move", `{"before":"x"}`).wantFieldErrors(t, "before: The before must be a number.")
		ann.post(t, "/lists", `{"name":"a","parent_id":"x","position":-1}`).wantFieldErrors(t,
			"parent_id: The parent id must be a number.", "position: The position must be a number from 0 to 1000000.")
		ben.post(t, "/lists/2/move", `{}`).wantError(t, 403, "This action is unauthorized.")
	})
}

func TestMergeListsAndTags(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		ann.link(t, `{"url":"https://a.example/","lists":"a","tags":"a"}`)
		ann.link(t, `{"url":"https://b.example/","lists":"b,c","tags":"b,c"}`)
		ann.post(t, "/lists", `{"name":"in b","parent_id":2}`)
		ann.post(t, "/lists/1/merge", `{"models":[2,3]}`).wantValue(t, "name", `"a"`)
		ann.get(t, "/lists?tree=1").wantValue(t, "data.*.path", `[["a"],["a","in b"]]`)
		ann.get(t, "/lists/1/links").wantValue(t, "data.*.id", `[1,2]`)
		ann.post(t, "/tags/1/merge", `{"models":[2,3]}`).wantValue(t, "name", `"a"`)
		ann.get(t, "/tags/1/links").wantValue(t, "data.*.id", `[1,2]`)
		ann.get(t, "/tags").wantValue(t, "data.*.id", `[1]`)
		ann.post(t, "/tags/1/merge", `{}`).wantFieldErrors(t, "models: The models field is required.")
		ben.post(t, "/lists/1/merge", `{"models":[4]}`).wantStatus(t, 403)
	})
}
