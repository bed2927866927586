package blockkit

// A form is one view as long as it fits one. A larger one is turned page by
// page, and decided once, at the end.
const (
	// maxFields is how many properties fit a modal of maxViewBlocks blocks,
	// beside who asks, the message, and Decline.
	maxFields = 95
	// maxProperties bounds the forms that are shown at all.
	maxProperties = 1000
	// maxFormBytes is the share of the inputs in a view, of which Slack takes
	// 250,000 bytes; the message has maxMessageBytes of the rest.
	maxFormBytes = 150_000
	// pageBytes is what a page weighs when there are several: a
	// page that follows another travels in an acknowledgement, of which Slack
	// drops 20,480 bytes and more in silence.
	pageBytes = 14_000
	// maxPageMenu is how large a menu may be on a page; a larger one is
	// searched.
	maxPageMenu = 6_000
)

// A message is shown on one page up to these, in stored units and in bytes of
// JSON. A longer one is read over several, which follow each other in
// acknowledgements and so are as small as those of fields.
const (
	maxMessage      = 8 * maxText
	maxMessageBytes = 60_000
	maxTextPages    = 20
)

// span is a run of fields that share a page.
type span struct{ from, to int }

// divide fills pages with fields.
func (f *Form) divide() []span {
	var out []span
	from, size := 0, 0
	for i := range f.fields {
		w := f.fields[i].weight()
		if i > from && (size+w > pageBytes || i-from == maxFields) {
			out = append(out, span{from, i})
			from, size = i, 0
		}
		size += w
	}
	if from < len(f.fields) {
		out = append(out, span{from, len(f.fields)})
	}
	return out
}

// spans are the fields of each page. All share one as long as they fit, and
// nothing comes before them.
func (f *Form) spans(textPages int) []span {
	switch {
	case textPages > 0:
		return f.divide()
	case f.paged != nil:
		return f.paged
	}
	return []span{{0, len(f.fields)}}
}

// messagePages divides the message of a server into what each page shows of
// it. There is always one.
func messagePages(message string) []string {
	words := shown(message)
	if isShort(words) {
		return []string{words}
	}
	var out []string
	page, size := "", 0
	for _, piece := range chunks(words, maxText) {
		n := jsonSize(piece)
		if page != "" && size+n > pageBytes {
			out = append(out, page)
			page, size = "", 0
		}
		page += piece
		size += n
	}
	return append(out, page)
}

// isShort reports whether words fit one page.
func isShort(words string) bool {
	return fits(words, maxMessage) && (len(words)*len(`\u003c`) <= maxMessageBytes || jsonSize(words) <= maxMessageBytes)
}

// sheet is what one page shows.
type sheet struct {
	text   string // of the message
	goesOn bool   // the text does
	span
	pages     int
	textPages int // at the start, which show nothing but text
}

// sheet returns page number page of the form with that message: first the
// pages that are nothing but text, then the fields.
func (f *Form) sheet(message string, page int) sheet {
	texts := messagePages(message)
	var s sheet
	if len(texts) > 1 {
		s.textPages = len(texts)
	}
	spans := f.spans(s.textPages)
	s.pages = s.textPages + len(spans)
	page = min(max(page, 0), s.pages-1)
	if page < len(texts) {
		s.text, s.goesOn = texts[page], page < len(texts)-1
	}
	if page >= s.textPages {
		s.span = spans[page-s.textPages]
	}
	return s
}

// Pages is how many views the form takes, with the message that it belongs to.
func (f *Form) Pages(message string) int { return f.sheet(message, 0).pages }

// pageOf is the page that field i stands on, from 0.
func (f *Form) pageOf(i int, m Metadata) int {
	for n, s := range f.spans(m.Text) {
		if i < s.to {
			return m.Text + n
		}
	}
	return m.Page
}
