package blockkit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// sheet is one page as Slack shows it.
type sheet struct {
	inputs []input
	text   string // of all rich text
	submit string
	back   bool
	meta   blockkit.Metadata
}

// turn draws page n of a form, through Slack's rules.
func turn(t testing.TB, f *blockkit.Form, message string, n, visit int, d blockkit.Draft) sheet {
	t.Helper()
	v := formView(message)
	v.Page, v.Visit, v.Draft = n, visit, d
	m := f.Modal(v)
	raw := viewJSON(t, m)
	return sheet{
		inputs: inputsOf(t, raw), text: richText(t, raw), submit: m.View.Submit.Text,
		back: bytesHave(raw, `"action_id":"form_back"`), meta: blockkit.ReadMetadata(m.View.PrivateMetadata),
	}
}

// richText joins all rich text of a view.
func richText(t testing.TB, view []byte) string {
	t.Helper()
	var v struct {
		Blocks []struct {
			Type     string
			Elements []struct {
				Elements []struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal(view, &v); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, b := range v.Blocks {
		for _, e := range b.Elements {
			for _, x := range e.Elements {
				out.WriteString(x.Text)
			}
		}
	}
	return out.String()
}

// entered is the state of a page on which every input holds text.
func (s sheet) entered(t testing.TB, text func(i input) map[string]any) json.RawMessage {
	t.Helper()
	values := map[string]any{}
	for _, in := range s.inputs {
		values[in.BlockID] = map[string]any{"v": text(in)}
	}
	raw, err := json.Marshal(map[string]any{"values": values})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func named(in input) map[string]any { return typed("of " + in.Label) }

func manyFields(n int, schema string) string {
	props := make([]string, n)
	for i := range props {
		props[i] = fmt.Sprintf(`"p%03d":%s`, i, schema)
	}
	return object("{" + strings.Join(props, ",") + "}")
}

func TestPages_FormsUpTo95FieldsAreOneView(t *testing.T) {
	for n, want := range map[int]bool{1: true, 95: true, 96: false, 1000: false} {
		f := parse(t, manyFields(n, `{"type":"string"}`))
		if one := f.Pages("?") == 1; one != want {
			t.Errorf("%d fields take %d pages", n, f.Pages("?"))
		}
	}
}

func TestPages_AreTurnedInWireOrderAndDecidedOnceAtTheEnd(t *testing.T) {
	f := parse(t, manyFields(230, `{"type":"string","minLength":3}`))
	pages := f.Pages("?")
	draft := blockkit.Draft{}
	seen := map[string]bool{}
	n := 0
	for p := range pages {
		s := turn(t, f, "?", p, p, draft)
		if last := p == pages-1; s.submit != map[bool]string{true: "Submit", false: "Next"}[last] || s.meta.Last() != last || s.back != (p > 0) {
			t.Errorf("page %d of %d: %q, back %v, %+v", p, pages, s.submit, s.back, s.meta)
		}
		if !strings.Contains(s.text, fmt.Sprintf("Page %d of %d.", p+1, pages)) {
			t.Errorf("page %d does not say so: %s", p, s.text)
		}
		for _, in := range s.inputs {
			if in.Label != fmt.Sprintf("p%03d", n) || seen[in.BlockID] {
				t.Fatalf("input %d is %s (%s)", n, in.Label, in.BlockID)
			}
			seen[in.BlockID] = true
			n++
		}
		if p == pages-1 {
			content, errs := f.AnswerPages(draft, s.entered(t, named), s.meta, blockkit.Reader{})
			if len(errs) > 0 {
				t.Fatalf("errors %v", errs)
			}
			var got map[string]string
			if err := json.Unmarshal(content, &got); err != nil {
				t.Fatal(err)
			}
			if len(got) != 230 || got["p000"] != "of p000" || got["p229"] != "of p229" || !strings.HasPrefix(string(content), `{"p000":"of p000","p001"`) {
				t.Errorf("content %s", shorten(content))
			}
			continue
		}
		if errs := f.Turn(draft, s.entered(t, func(input) map[string]any { return typed("x") }), s.meta, blockkit.Reader{}); len(errs) != len(s.inputs) {
			t.Fatalf("page %d: %d errors, want one at each of %d inputs", p, len(errs), len(s.inputs))
		}
		if errs := f.Turn(draft, s.entered(t, named), s.meta, blockkit.Reader{}); len(errs) > 0 {
			t.Fatalf("page %d: %v", p, errs)
		}
		raw, err := draft.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if draft, err = blockkit.ReadDraft(raw); err != nil {
			t.Fatal(err)
		}
	}
	if n != 230 {
		t.Errorf("%d inputs, want 230", n)
	}
}

func TestPages_PagesAfterTheFirstFitAnAcknowledgement(t *testing.T) {
	for name, schema := range map[string]string{
		"plain":  manyFields(300, `{"type":"string","title":"A title","description":"What it is about, in one line"}`),
		"hosts":  manyFields(120, `{"type":"string",`+enum(90)+`}`),
		"hidden": manyFields(120, `{"type":"string","description":"`+strings.Repeat("<", 400)+`"}`),
	} {
		f := parse(t, schema)
		for p := range f.Pages("?") {
			v := formView("?")
			v.Page, v.Visit = p, p
			if m := f.Modal(v); p > 0 && !m.FitsAck() {
				t.Errorf("%s: page %d of %d does not", name, p, f.Pages("?"))
			}
		}
	}
}

func TestPages_GoingBackKeepsWhatWasTypedRightOrWrong(t *testing.T) {
	f := parse(t, object(`{
		"text":{"type":"string","minLength":5,"default":"the default"},
		"count":{"type":"integer","default":3},
		"on":{"type":"boolean","default":true},
		"maybe":{"type":"boolean"},
		"one":{"enum":["a","b","c","d","e","f"],"default":"a"},
		"some":{"type":"array","items":{"enum":["a","b"]},"default":["a"]},
		"day":{"type":"string","format":"date","default":"2026-12-01"},
		"at":{"type":"string","format":"date-time","default":"2026-12-01T10:00:00Z"},
		`+strings.TrimPrefix(strings.TrimSuffix(manyFields(100, `{"type":"string"}`), `},"required":[]}`), `{"type":"object","properties":{`)+`}`))
	first := turn(t, f, "?", 0, 0, nil)
	values := map[string]map[string]any{
		"text": typed("abc"), "count": typed(""), "on": pickedAll(), "maybe": picked("none"), "one": picked("o3"),
		"some": pickedAll(), "day": day("2027-01-02"), "at": moment(1893456000),
	}
	draft := blockkit.Draft{}
	draft.Put(first.entered(t, func(in input) map[string]any {
		if v, ok := values[in.Label]; ok {
			return v
		}
		return untouched()
	}), first.meta)
	back := turn(t, f, "?", 0, 2, draft)
	if back.inputs[0].BlockID == first.inputs[0].BlockID {
		t.Error("a block id comes again: Slack would show the old state")
	}
	got := map[string]any{}
	for _, in := range back.inputs[:8] {
		for _, k := range []string{"initial_value", "initial_options", "initial_date", "initial_date_time"} {
			if v, ok := in.Element[k]; ok {
				got[in.Label] = v
			}
		}
		if o, ok := in.Element["initial_option"].(map[string]any); ok {
			got[in.Label] = o["value"]
		}
	}
	want := map[string]any{"text": "abc", "maybe": "none", "one": "o3", "day": "2027-01-02", "at": float64(1893456000)}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after going back %v, want %v", got, want)
	}
}

func TestPages_ErrorOnAnotherPageSaysWhere(t *testing.T) {
	f := parse(t, strings.Replace(manyFields(100, `{"type":"string"}`), `"required":[]`, `"required":["p000"]`, 1))
	last := f.Pages("?") - 1
	s := turn(t, f, "?", last, last, nil)
	content, errs := f.AnswerPages(blockkit.Draft{}, s.entered(t, named), s.meta, blockkit.Reader{})
	if want := "Please correct “p000” on page 1: Please fill in this field."; content != nil || errs[s.inputs[0].BlockID] != want {
		t.Errorf("%s %v, want %q at the first input", content, errs, want)
	}
}

func TestPages_StateOfAnEarlierPageIsIgnored(t *testing.T) {
	f := parse(t, manyFields(100, `{"type":"string"}`))
	last := f.Pages("?") - 1
	s := turn(t, f, "?", last, last, nil)
	state := `{"values":{"f0":{"v":{"value":"stale"}},"f99":{"v":{"value":"stale"}},"f99.7":{"v":{"value":"older"}}}}`
	content, errs := f.AnswerPages(blockkit.Draft{}, json.RawMessage(state), s.meta, blockkit.Reader{})
	if string(content) != "{}" {
		t.Errorf("%s %v, want nothing of it", content, errs)
	}
}

func TestPages_FormTooLargeForAViewIsPaged(t *testing.T) {
	for name, schema := range map[string]string{
		"defaults":     manyFields(95, fmt.Sprintf(`{"type":"string","default":%q}`, strings.Repeat("<", 2900))),
		"descriptions": manyFields(60, fmt.Sprintf(`{"type":"string","description":%q}`, strings.Repeat("漢", 4000))),
	} {
		f := parse(t, schema)
		if f.Pages("?") < 2 {
			t.Errorf("%s: one page", name)
		}
		n := 0
		for p := range f.Pages("?") {
			n += len(turn(t, f, "?", p, p, nil).inputs)
		}
		if want := strings.Count(schema, `"type":"string"`); n != want {
			t.Errorf("%s: %d inputs on all pages, want %d", name, n, want)
		}
	}
}

func TestPages_LongMessageIsShownWhole(t *testing.T) {
	words := make([]string, 20_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%05d", i)
	}
	message := strings.Join(words, " ") // 140 kB
	for _, schema := range []string{object(`{"x":{"type":"string"}}`), object(`{}`)} {
		params, err := json.Marshal(map[string]any{"message": message, "requestedSchema": json.RawMessage(schema)})
		if err != nil {
			t.Fatal(err)
		}
		el, err := blockkit.Parse(params, elicit.EraBlocking)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		pages := el.Form.Pages(el.Message)
		for p := range pages {
			s := turn(t, el.Form, el.Message, p, p, nil)
			all.WriteString(s.text)
			v := formView(el.Message)
			v.Page, v.Visit = p, p
			if !el.Form.Modal(v).FitsAck() {
				t.Errorf("page %d does not fit an acknowledgement", p)
			}
			if (p < s.meta.Text-1) != strings.Contains(s.text, "it goes on") {
				t.Errorf("page %d of %d does not say whether it goes on", p, pages)
			}
		}
		for _, w := range words {
			if !strings.Contains(all.String(), w) {
				t.Fatalf("%s is on none of %d pages", w, pages)
			}
		}
		open := card(el.Message, el.Form).Open()
		raw := messageJSON(t, open)
		if !bytesHave(raw, "the whole of it is in the form") || !bytesHave(raw, `"elicit_respond"`) || bytesHave(raw, `"elicit_accept"`) {
			t.Errorf("card: %s", shorten(raw))
		}
		if !el.HasForm() {
			t.Error("a question whose card does not show all of it has no form")
		}
	}
	if _, err := blockkit.Parse(json.RawMessage(`{"message":"`+strings.Repeat("long ", 60_000)+`","requestedSchema":{"type":"object"}}`), elicit.EraBlocking); err == nil {
		t.Error("a message of 300,000 characters is not refused")
	}
}

func TestPages_LoadingPageAsksForThePageItStandsFor(t *testing.T) {
	f := parse(t, manyFields(60, fmt.Sprintf(`{"type":"string","description":%q}`, strings.Repeat("漢", 9000))))
	v := formView("?")
	v.Page, v.Visit = 1, 1
	page := f.Modal(v)
	if page.FitsAck() {
		t.Fatal("the page is small")
	}
	loading := page.LoadingPage(blockkit.Reader{})
	if !loading.FitsAck() {
		t.Error("the loading page is not small")
	}
	viewJSON(t, loading)
	at := blockkit.ReadMetadata(loading.View.PrivateMetadata)
	if at.Page != 0 || at.Last() {
		t.Errorf("Next on it leads from page %d", at.Page)
	}
	if errs := f.Turn(blockkit.Draft{}, nil, at, blockkit.Reader{}); len(errs) > 0 {
		t.Errorf("Next on it: %v", errs)
	}
}

func TestMetadata_ReadsWhatItWrote(t *testing.T) {
	for _, m := range []blockkit.Metadata{{ID: "p1"}, {ID: "p1", Page: 1, Pages: 3, From: 4, To: 9, Visit: 7, Opened: 5}} {
		if got := blockkit.ReadMetadata(m.String()); got != m {
			t.Errorf("%+v comes back as %+v", m, got)
		}
	}
	for _, s := range []string{"", "{", `{"id":3}`, `{"id":"p","page":-1}`, `{"id":"p","from":3,"to":1}`, `{"id":"p","to":1000000000}`} {
		if got := blockkit.ReadMetadata(s); got != (blockkit.Metadata{}) {
			t.Errorf("%q is %+v, want nothing", s, got)
		}
	}
	if !(blockkit.Metadata{ID: "p"}).Last() {
		t.Error("a form of one page is not at its last one")
	}
}

// FuzzPages draws and reads a page with whatever stands in its draft, its
// private_metadata and its state.
func FuzzPages(f *testing.F) {
	f.Add(manyFields(100, `{"type":"string"}`), `{"0":{"value":"a"},"99":{"value":null}}`, `{"id":"p","page":1,"pages":3,"from":40,"to":80,"visit":2}`, `{"values":{"f41.2":{"v":{"value":"x"}}}}`)
	f.Add(deployForm, `{"0":{"selected_option":{"value":"o1"}},"4":{"selected_date":"2026-13-01"},"8":{"selected_options":[{"value":"o0"},{"value":"o0"}]}}`, `p1`, `{"values":[]}`)
	f.Fuzz(func(t *testing.T, schema, draft, metadata, state string) {
		form, ok := parseAny(t, json.RawMessage(schema))
		if !ok {
			return
		}
		d, err := blockkit.ReadDraft([]byte(draft))
		if err != nil {
			return
		}
		m := blockkit.ReadMetadata(metadata)
		for page := range form.Pages("?") {
			turn(t, form, "?", page, page, d)
		}
		form.Turn(d, json.RawMessage(state), m, blockkit.Reader{})
		if content, errs := form.AnswerPages(d, json.RawMessage(state), m, blockkit.Reader{}); content != nil && !fitsSchema(form, content) {
			t.Errorf("accepted %s, which is not valid (errors %v)", content, errs)
		}
	})
}
