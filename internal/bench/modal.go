package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
)

// modals measures how long a raw schema takes to become the JSON of a modal.
// It runs in this process, since it is one function.
func modals(_ context.Context, b *bench) error {
	for _, m := range []struct {
		fields int
		limit  time.Duration
	}{{3, 50 * time.Microsecond}, {95, time.Millisecond}} {
		schema := json.RawMessage(schemaOf(m.fields))
		var s samples
		for i := range b.o.sizes.modals + b.o.sizes.modals/10 {
			began := time.Now()
			form, err := blockkit.ParseForm(schema)
			if err != nil {
				return err
			}
			view := form.Modal(blockkit.FormView{
				ID: "0123456789abcdef", Server: "deploy", Tool: "deploy_service", Message: "Deploy payments 2.3.1?",
				Requester: "U0BENCH", Deadline: began.Add(time.Hour), Reader: blockkit.Reader{Zone: time.UTC},
			}).View
			if _, err := json.Marshal(view); err != nil {
				return err
			}
			if i >= b.o.sizes.modals/10 { // the first ones warm up
				s = append(s, time.Since(began))
			}
		}
		b.hold(fmt.Sprintf("raw schema → modal JSON, %d fields (median)", m.fields), short(m.limit), s.String(), float64(s.quantile(0.5))/float64(m.limit))
	}
	return nil
}

// schemaOf is a form with so many fields: texts, choices and booleans.
func schemaOf(n int) string {
	kinds := []string{
		`{"type":"string","title":"Field %d","description":"What it is","maxLength":80}`,
		`{"type":"string","title":"Field %d","enum":["prod-eu","prod-us","staging"]}`,
		`{"type":"boolean","title":"Field %d"}`,
	}
	var props, required []string
	for i := range n {
		props = append(props, fmt.Sprintf(`"field_%d":`+kinds[i%len(kinds)], i, i))
		required = append(required, fmt.Sprintf(`"field_%d"`, i))
	}
	return `{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(required, ",") + `]}`
}
