package api

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// modelsBody returns the body of a bulk create with that many copies of a model.
func modelsBody(settings *config.API, model string, n int) *jsonBody {
	models := "[" + strings.Repeat(model+",", n-1) + model + "]"
	return &jsonBody{limits: settings, fields: map[string]json.RawMessage{"models": json.RawMessage(models)}}
}

func TestDecodingStopsAtTooManyReferences(t *testing.T) {
	settings := config.Default().API
	body := modelsBody(&settings, `{"url":"https://go.dev","lists":[`+strings.Repeat("1,", 9_999)+`1]}`, 100)
	a := &API{settings: settings, store: storetest.Open(t)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decodeModels(a, body, (*jsonBody).linkInput)
	runtime.ReadMemStats(&after)
	var invalid *waymark.ValidationError
	if !errors.As(err, &invalid) || invalid.Problems[0].Limit != a.store.LinkLimits().Pairs {
		t.Errorf("got %v, want more than %d pairs", err, a.store.LinkLimits().Pairs)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 24<<20 {
		t.Errorf("decoding took %d bytes, want at most the size of %d references", got, a.store.LinkLimits().Pairs)
	}
}
