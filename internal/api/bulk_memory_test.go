package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// modelsBody returns the body of a bulk create with that many copies of a model.
func modelsBody(settings *config.API, model string, n int) *jsonBody {
	models := "[" + strings.Repeat(model+",", n-1) + model + "]"
	return &jsonBody{limits: settings, fields: map[string]json.RawMessage{"models": json.RawMessage(models)}}
}

func TestModelsOfASmallBodyReserveMemory(t *testing.T) {
	settings := config.Default().API
	a := &API{settings: settings, store: storetest.Open(t)}
	memory := httpx.NewMemory(8<<20, 0)
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	begin := func() (http.ResponseWriter, *httpx.RequestMemory) {
		m := memory.For(r, 1)
		return m.Writer(httptest.NewRecorder()), m
	}
	first, held := begin()
	if err := httpx.Reserve(first, 3<<20); err != nil {
		t.Fatal(err)
	}
	w, m := begin()
	defer m.Release()
	if _, err := decodeModels(a, w, modelsBody(&settings, `{"url":"https://go.dev"}`, 10_000), (*jsonBody).linkInput); !errors.Is(err, httpx.ErrNoMemory) {
		t.Errorf("got %v, want ErrNoMemory for 10,000 models", err)
	}
	held.Release()
	if inputs, err := decodeModels(a, w, modelsBody(&settings, `{"url":"https://go.dev"}`, 10_000), (*jsonBody).linkInput); err != nil || len(inputs) != 10_000 {
		t.Errorf("got %d models, %v", len(inputs), err)
	}
}

func TestDecodingStopsAtTooManyReferences(t *testing.T) {
	settings := config.Default().API
	body := modelsBody(&settings, `{"url":"https://go.dev","lists":[`+strings.Repeat("1,", 9_999)+`1]}`, 100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a := &API{settings: settings, store: storetest.Open(t)}
	_, err := decodeModels(a, httptest.NewRecorder(), body, (*jsonBody).linkInput)
	runtime.ReadMemStats(&after)
	var invalid *waymark.ValidationError
	if !errors.As(err, &invalid) || invalid.Problems[0].Limit != a.store.LinkLimits().Pairs {
		t.Errorf("got %v, want more than %d pairs", err, a.store.LinkLimits().Pairs)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 24<<20 {
		t.Errorf("decoding took %d bytes, want at most those of %d references", got, a.store.LinkLimits().Pairs)
	}
}
