package blockkit

import (
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message/catalog"
)

// catalogue has what we say. A sentence is known by its English
// text; English itself needs an entry only where it has a plural.
var catalogue = newCatalogue()

func newCatalogue() *catalog.Builder {
	b := catalog.NewBuilder(catalog.Fallback(language.English))
	for key, one := range englishSingulars {
		must(b.Set(language.English, key, plural.Selectf(1, "%d", "=1", one, "other", key)))
	}
	for key, text := range simplifiedChinese {
		must(b.SetString(language.SimplifiedChinese, key, text))
	}
	return b
}

// must is for entries that are written in this package: one that does not
// compile fails every test.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// englishSingulars are the forms for one, by the first number of the sentence.
var englishSingulars = map[string]string{
	"Exactly %d characters.":                            "Exactly %d character.",
	"At least %d characters.":                           "At least %d character.",
	"At most %d characters.":                            "At most %d character.",
	"Please enter at least %d characters; this has %d.": "Please enter at least %d character; this has %d.",
	"Please enter at most %d characters; this has %d.":  "Please enter at most %d character; this has %d.",
}
