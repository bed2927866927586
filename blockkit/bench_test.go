package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/blockkit"
)

// Design §11 wants a raw schema of 3 fields as modal JSON within 50 µs and one
// of 95 within 1 ms.
func BenchmarkModal(b *testing.B) {
	kinds := []string{
		`{"type":"string","title":"Field","description":"What it is","maxLength":80}`,
		`{"type":"string","title":"Field","enum":["prod-eu","prod-us","staging"]}`,
		`{"type":"boolean","title":"Field"}`,
	}
	for _, n := range []int{3, 20, 95} {
		var props, required []string
		for i := range n {
			name := fmt.Sprintf(`"field_%d"`, i)
			props = append(props, name+":"+strings.Replace(kinds[i%3], `"Field"`, fmt.Sprintf(`"Field %d"`, i), 1))
			required = append(required, name)
		}
		benchModal(b, fmt.Sprintf("%dfields", n), `{"type":"object","properties":{`+strings.Join(props, ",")+`},"required":[`+strings.Join(required, ",")+`]}`)
	}
	benchModal(b, "enum1000", object(`{"host":{"type":"string",`+enum(1000)+`}}`, "host"))
}

func benchModal(b *testing.B, name, schema string) {
	view := formView("Deploy payments 2.3.1?")
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := blockkit.ParseForm(json.RawMessage(schema))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(f.Modal(view).View); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	f := parse(b, object(`{"host":{"type":"string",`+enum(1000)+`}}`, "host"))
	b.ReportAllocs()
	for b.Loop() {
		if got := f.Search("f0", "h99", blockkit.English); len(got) != 10 {
			b.Fatal(len(got))
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	f := parse(b, object(`{"cluster":{"type":"string","enum":["prod","stage"]},"window":{"type":"string","maxLength":80},"confirm":{"type":"boolean"}}`, "cluster", "window", "confirm"))
	s := state(b, picked("o0"), typed("22:00"), picked("o0"))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := f.Answer(s, blockkit.Reader{}); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}
