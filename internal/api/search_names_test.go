package api

import (
	"testing"
)

func TestNameSearchMapsIDsToNames(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		for _, kind := range []string{"lists", "tags"} {
			path := "/search/" + kind
			for _, name := range []string{"Beta", "alpha", "ALPINE", "Straße", "100%", "a_b", "日本", "\"q\""} {
				ann.post(t, "/"+kind, `{"name":`+jsonOf(t, name)+`,"visibility":1}`).ok(t)
			}
			ben.post(t, "/"+kind, `{"name":"alpha too","visibility":1}`).ok(t)
			trashed := ann.post(t, "/"+kind, `{"name":"alphabet"}`).id(t)
			ann.delete(t, "/"+kind+"/"+trashed, "").ok(t)
			for query, want := range map[string]string{
				"query=alp":                             `{"2":"alpha","3":"ALPINE"}`,
				"query=ALP":                             `{"2":"alpha","3":"ALPINE"}`,
				"query=a":                               `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=2":                    `{"6":"a_b","2":"alpha"}`,
				"query=a&per_page=0":                    `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=-1":                   `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=-5":                   `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=x":                    `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=a&per_page=99999999999999999999": `{"6":"a_b","2":"alpha","3":"ALPINE","1":"Beta","4":"Straße"}`,
				"query=strasse":                         `{"4":"Straße"}`,
				"query=%25":                             `{"5":"100%"}`,
				"query=_":                               `{"6":"a_b"}`,
				"query=%E6%9C%AC":                       `{"7":"日本"}`,
				"query=%22":                             `{"8":"\"q\""}`,
				"query=%20alp%20":                       `{"2":"alpha","3":"ALPINE"}`,
				"query=nothing":                         `{}`,
				"query=%00":                             `{}`,
				"query=%FF":                             `{}`,
				"query=":                                `{}`,
				"query=%20":                             `{}`,
				"":                                      `{}`,
			} {
				if got := ann.get(t, path+"?"+query).ok(t).body; got != want {
					t.Errorf("%s?%s: got %s, want %s", path, query, got, want)
				}
			}
		}
	})
}
