package blockkit

import (
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Language is a language that people are spoken to in. The words of a server
// are never translated. The zero value is English.
type Language int

// The languages of the catalogue.
const (
	English Language = iota
	SimplifiedChinese
)

// Reader is who reads a form: what is said to them, and when, follows it.
type Reader struct {
	Zone     *time.Location // nil is UTC
	Language Language
}

func (r Reader) zone() *time.Location {
	if r.Zone == nil {
		return time.UTC
	}
	return r.Zone
}

var (
	tags     = []language.Tag{English: language.English, SimplifiedChinese: language.SimplifiedChinese}
	matcher  = language.NewMatcher(tags)
	printers = []*message.Printer{
		English:           message.NewPrinter(tags[English], message.Catalog(catalogue)),
		SimplifiedChinese: message.NewPrinter(tags[SimplifiedChinese], message.Catalog(catalogue)),
	}
)

// LanguageOf returns the language for a locale as Slack names it, such as
// en-GB or zh-CN. Locales that are not in the catalogue read English.
func LanguageOf(locale string) Language {
	tag, err := language.Parse(locale)
	if err != nil {
		return English
	}
	_, i, confidence := matcher.Match(tag)
	if confidence == language.No {
		return English
	}
	return Language(i)
}

// phrase is one of our sentences before it is put into a language: its English
// text, by which the catalogue knows it, and what stands in its places.
type phrase struct {
	key  string
	args []any // numbers, texts and phrases
}

func say(key string, args ...any) phrase { return phrase{key, args} }

func (p phrase) empty() bool { return p.key == "" }

// template is the sentence in a language, with its places.
func (p phrase) template(l Language) string {
	if l == SimplifiedChinese {
		if text, ok := simplifiedChinese[p.key]; ok {
			return text
		}
	}
	return p.key
}

// in puts the phrase into a language.
func (p phrase) in(l Language) string {
	if len(p.args) == 0 {
		return p.template(l)
	}
	args := make([]any, len(p.args))
	for i, a := range p.args {
		if inner, ok := a.(phrase); ok {
			a = inner.in(l)
		}
		args[i] = a
	}
	return printers[l].Sprintf(p.key, args...)
}

// words puts the phrase into a language with parts in its places, in whatever
// order that language has them. All of its args must be parts.
func (p phrase) words(l Language) Words {
	out := make(Words, 0, 2*len(p.args)+1)
	text := p.template(l)
	for next := 0; ; next++ {
		before, after, found := strings.Cut(text, "%")
		if before != "" {
			out = append(out, Text(before))
		}
		if !found {
			return out
		}
		i := next
		if strings.HasPrefix(after, "[") && len(after) > 2 { // %[2]s: the second
			i = int(after[1] - '1')
			after = after[len("[n]"):]
		}
		text = strings.TrimPrefix(after, "s")
		if i >= 0 && i < len(p.args) {
			part, _ := p.args[i].(Part)
			out = append(out, part)
		}
	}
}
