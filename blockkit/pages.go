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
	// pageBytes is what the inputs of a page weigh when there are several: a
	// page that follows another travels in an acknowledgement, of which Slack
	// drops 20,480 bytes and more in silence.
	pageBytes = 14_000
	// maxPageMenu is how large a menu may be on a page; a larger one is
	// searched.
	maxPageMenu = 6_000
)

// A message is shown on one page up to these, in stored units and in bytes of
// JSON; a longer one goes on over several.
const (
	maxMessage      = 8 * maxText
	maxMessageBytes = 60_000
	maxTextPages    = 10
)

// span is a run of fields that share a page.
type span struct{ from, to int }

// spans divides the fields over pages.
func (f *Form) divide(paged bool) {
	f.spans = []span{{0, len(f.fields)}}
	if !paged {
		return
	}
	f.spans = nil
	from, size := 0, 0
	for i := range f.fields {
		w := f.fields[i].weight()
		if i > from && (size+w > pageBytes || i-from == maxFields) {
			f.spans = append(f.spans, span{from, i})
			from, size = i, 0
		}
		size += w
	}
	f.spans = append(f.spans, span{from, len(f.fields)})
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
		if page != "" && (size+n > maxMessageBytes || !fits(page+piece, maxMessage)) {
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
	pages int
}

// sheet returns page number page of the form with that message: first the
// pages that are nothing but text, then the fields.
func (f *Form) sheet(message string, page int) sheet {
	texts := messagePages(message)
	s := sheet{pages: len(texts) - 1 + len(f.spans)}
	page = min(max(page, 0), s.pages-1)
	if page < len(texts) {
		s.text, s.goesOn = texts[page], page < len(texts)-1
	}
	if i := page - (len(texts) - 1); i >= 0 {
		s.span = f.spans[i]
	}
	return s
}

// Pages is how many views the form takes, with the message that it belongs to.
func (f *Form) Pages(message string) int { return f.sheet(message, 0).pages }

// pageOf is the page that field i stands on, from 0.
func (f *Form) pageOf(i int, m Metadata) int {
	textOnly := m.Pages - len(f.spans)
	for n, s := range f.spans {
		if i < s.to {
			return max(textOnly, 0) + n
		}
	}
	return m.Page
}
