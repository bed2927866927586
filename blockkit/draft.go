package blockkit

import (
	"encoding/json"
	"fmt"
)

// Draft is what a person has entered on the pages of a form so far, by the
// position of the field. It holds values: whoever keeps it seals it.
type Draft map[int]entry

// ReadDraft reads what Draft.Encode wrote; nothing is an empty draft.
func ReadDraft(raw []byte) (Draft, error) {
	d := Draft{}
	if len(raw) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("reading a draft: %w", err)
	}
	return d, nil
}

// Encode writes the draft.
func (d Draft) Encode() ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("writing a draft: %w", err)
	}
	return raw, nil
}

// Put adds what stands on the page that m describes, right or wrong: going
// back loses nothing.
func (d Draft) Put(state json.RawMessage, m Metadata) {
	entries := decodeState(state)
	for i := m.From; i < m.To; i++ {
		if e, ok := entries[m.blockID(i)]; ok {
			d[i] = e
		}
	}
}

// Turn checks the page that m describes and adds it to the draft. errs are as
// those of Answer; with errors the draft stays as it was.
func (f *Form) Turn(d Draft, state json.RawMessage, m Metadata, r Reader) (errs map[string]string) {
	a := &answering{Reader: r}
	page := Draft{}
	page.Put(state, m)
	errs = map[string]string{}
	for i := m.From; i < min(m.To, len(f.fields)); i++ {
		if _, problem := f.fields[i].answer(page[i], a); !problem.empty() {
			errs[m.blockID(i)] = fieldError(problem.in(r.Language))
		}
	}
	if len(errs) > 0 {
		return fitErrors(errs)
	}
	for i, e := range page {
		d[i] = e
	}
	return nil
}
