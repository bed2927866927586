package demo

import (
	"fmt"
	"strings"
)

// incidentSchema has a field of every type that a form may ask for.
func incidentSchema() string {
	var hosts []string
	for i := range 150 {
		hosts = append(hosts, fmt.Sprintf("%q", fmt.Sprintf("host-%03d.example.com", i)))
	}
	return `{"type":"object","properties":{` +
		`"title":{"type":"string","title":"Title","minLength":4,"maxLength":80},` +
		`"severity":{"type":"string","title":"Severity","enum":["sev1","sev2","sev3"],"enumNames":["Critical","Major","Minor"]},` +
		`"started":{"type":"string","title":"Started at","format":"date-time"},` +
		`"summary":{"type":"string","title":"Summary","description":"What happened, and what people noticed of it","maxLength":2000},` +
		`"ticket":{"type":"string","title":"Ticket","pattern":"^INC-[0-9]+$"},` +
		`"contact":{"type":"string","title":"Contact","format":"email"},` +
		`"dashboard":{"type":"string","title":"Dashboard","format":"uri"},` +
		`"review":{"type":"string","title":"Review on","format":"date"},` +
		`"customers":{"type":"integer","title":"Customers affected","minimum":0,"default":0},` +
		`"error_rate":{"type":"number","title":"Error rate","minimum":0,"maximum":1},` +
		`"public":{"type":"boolean","title":"Tell customers"},` +
		`"paged":{"type":"boolean","title":"Page the on-call engineer","default":true},` +
		`"cause":{"type":"string","title":"Cause","oneOf":[{"const":"deploy","title":"A deployment"},{"const":"load","title":"Load"},{"const":"dependency","title":"A dependency"}]},` +
		`"areas":{"type":"array","title":"Areas","minItems":1,"items":{"type":"string","enum":["api","web","mobile","batch"]}},` +
		`"teams":{"type":"array","title":"Teams","maxItems":2,"items":{"anyOf":[{"const":"sre","title":"SRE"},{"const":"pay","title":"Payments"},{"const":"srch","title":"Search"}]}},` +
		`"host":{"type":"string","title":"Host","enum":[` + strings.Join(hosts, ",") + `]}},` +
		`"required":["title","severity","started"]}`
}

// hostsSchema is a form that does not fit one view.
func hostsSchema() string {
	var hosts []string
	for i := range 120 {
		hosts = append(hosts, fmt.Sprintf(`"host_%03d":{"type":"boolean","title":"host-%03d.example.com"}`, i, i))
	}
	return `{"type":"object","properties":{` + strings.Join(hosts, ",") + `}}`
}
