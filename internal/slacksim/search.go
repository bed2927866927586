package slacksim

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/slackbridge/slackbridge/internal/slackrules"
)

// defaultMinQuery is how many characters a search needs unless it says otherwise.
const defaultMinQuery = 3

// Search types into a menu that gets its options from the app, and returns
// what it offers then; Fill picks from that. The menu stays empty when the
// app's answer is late or not valid.
func (p *Person) Search(ctx context.Context, label, text string) ([]string, error) {
	s := p.sim
	s.mu.Lock()
	v, sl, err := p.field(label)
	least := int64(defaultMinQuery)
	if n, ok := wholeNumber(sl.element["min_query_length"]); ok {
		least = n
	}
	switch {
	case err != nil:
	case strings.TrimPrefix(sl.typ, "multi_") != "external_select":
		err = ClientError(fmt.Sprintf("%q offers all it has", label))
	case int64(len(utf16.Encode([]rune(text)))) < least:
		err = ClientError(fmt.Sprintf("%q searches from %d characters on", label, least))
	}
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	post := s.blockSuggestion(v, sl, text)
	s.mu.Unlock()

	r, err := s.deliver(ctx, post)
	if err != nil {
		s.trouble("block_suggestion was not answered: %v", err)
		r.body = []byte(`{"options":[]}`)
	} else if found := slackrules.CheckOptions(r.body); len(found) > 0 {
		s.trouble("the answer to block_suggestion was not valid: %v", found)
		r.body = []byte(`{"options":[]}`)
	}
	options, _ := escaped(decode(r.body)).(object)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered[offer{v.id, sl.blockID, sl.actionID}] = listed(options)
	s.change()
	var out []string
	for _, c := range p.choices(v, sl) {
		out = append(out, c.label)
	}
	return out, nil
}
