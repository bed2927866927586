package blockkit

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShown_HidesNothing(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                  "plain",
		"pay\u202Eto":                            "pay⟦U+202E⟧to",
		"a\u200B\u200B\u2060b":                   "a⟦U+200B ×3⟧b",
		"a\x00b\x1b[31m\x7f":                     "a⟦U+0000⟧b⟦U+001B⟧[31m⟦U+007F⟧",
		"a\u0085b\u2028c\u2029d\r\ne":            "a\nb\nc\nd\ne",
		"a\tb":                                   "a b",
		"\U000E0041\U000E0042":                   "⟦U+E0041 ×2⟧",
		"soft\u00ADhyphen\uFEFF":                 "soft⟦U+00AD⟧hyphen⟦U+FEFF⟧",
		"a\u200Db":                               "a⟦U+200D⟧b",
		"👩\u200D💻":                               "👩\u200D💻",
		"می\u200Cخواهم":                          "می\u200Cخواهم",
		"\u200D\u200Dx":                          "⟦U+200D ×2⟧x",
		"e\u0301":                                "e\u0301",
		"x" + strings.Repeat("\u0301", 20) + "y": "x" + strings.Repeat("\u0301", 8) + "⟦U+0301 ×12⟧y",
		"bad\xff":                                "bad\uFFFD",
		"a" + strings.Repeat(" ", 16) + "b":      "a" + strings.Repeat(" ", 16) + "b",
		"a" + strings.Repeat(" ", 17) + "b":      "a⟦17 spaces⟧b",
		"a" + strings.Repeat("\u00A0\u3000", 9):  "a⟦18 spaces⟧",
		"a" + strings.Repeat("\u2800", 30) + "b": "a⟦U+2800 ×30⟧b",
		"prod\uFE0F":                             "prod⟦U+FE0F⟧",
		"❤\uFE0F\u200D🔥 1\uFE0F\u20E3":           "❤\uFE0F\u200D🔥 1\uFE0F\u20E3",
		"生\u200D产":                               "生⟦U+200D⟧产",
		"q\U0001BCA0":                            "q⟦U+1BCA0⟧",
		"a\n\n\n\nb":                             "a\n\n\n\nb",
		"a\n\n\n\n\nb":                           "a\n⟦4 empty lines⟧\nb",
		"a" + strings.Repeat("\n \u3000", 40) + "\nb": "a\n⟦40 empty lines⟧\nb",
		"a\n    indented": "a\n    indented",
	} {
		got := shown(in)
		if got != want {
			t.Errorf("shown(%q) = %q, want %q", in, got, want)
		}
		if again := shown(got); again != got {
			t.Errorf("shown twice of %q: %q, then %q", in, got, again)
		}
	}
}

func TestShownLine_IsOneTrimmedLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\n b ": "a b", "a  b": "a b", "\t": "", "a\r\nb": "a b", "plain": "plain", " x": "x",
	} {
		if got := shownLine(in); got != want {
			t.Errorf("shownLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCut_CountsWhatSlackStoresAndKeepsGraphemes(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"a<b", 5, "a…"},
		{"a<b", 6, "a<b"},
		{"&&", 9, "&…"},
		{"👍👍👍", 6, "👍👍👍"},
		{"👍👍👍", 5, "👍👍…"},
		{"👩\u200D💻x", 4, "…"},
		{"👩\u200D💻xy", 6, "👩\u200D💻…"},
		{"e\u0301e\u0301", 3, "e\u0301…"},
		{"ab  cd", 5, "ab…"},
		{"", 3, ""},
	} {
		if got := cut(tt.in, tt.limit); got != tt.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("hello <world> & 👩\u200D💻 e\u0301", 7)
	f.Add(strings.Repeat("\u0301", 100), 10)
	f.Add("a\n\n\n\n\n\nb \u202E\u200D", 30)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 12 + (limit%3000+3000)%3000
		clean := shown(s)
		if again := shown(clean); again != clean {
			t.Errorf("shown is not stable: %q, then %q", clean, again)
		}
		if got := cut(clean, limit); storedUnits(got) > limit || !utf8.ValidString(got) {
			t.Errorf("cut(%q, %d) = %q of %d units", clean, limit, got, storedUnits(got))
		}
		pieces := chunks(clean, limit+maxGrapheme)
		if joined := strings.Join(pieces, ""); joined != clean {
			t.Errorf("chunks of %q make %q", clean, joined)
		}
		for _, p := range pieces {
			if p == "" || storedUnits(p) > limit+maxGrapheme {
				t.Errorf("a chunk of %d units, at most %d", storedUnits(p), limit+maxGrapheme)
			}
		}
		text := fallbackText([]fragment{{text: clean}, {kind: fragmentUser, text: "U_ANN"}})
		if units(text) > maxFallback || !utf8.ValidString(text) {
			t.Errorf("the fallback has %d units", units(text))
		}
		rest := strings.Replace(text, "<@U_ANN>", "", 1)
		for _, live := range []string{"<", "://", "```"} {
			if strings.Contains(rest, live) {
				t.Errorf("%q lives in %q", live, text)
			}
		}
		if n := jsonSize(clean); n < len(quote(clean))-2 {
			t.Errorf("jsonSize(%q) = %d, it is %d", clean, n, len(quote(clean))-2)
		}
	})
}

func TestDistinct_NeverReturnsTwoEqualLabels(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tt := range [][]string{
		{"a", "a", "a (n0)", "a (n0)"},
		{long + "1", long + "2", long + "3"},
		{"a", "a #1", "a #2", "a"},
		{"same", "same", "same #1", "same #2", "same (n1)"},
	} {
		names := make([]string, len(tt))
		for i := range names {
			names[i] = "n0"
		}
		seen := map[string]bool{}
		for _, l := range distinct(tt, names, 75) {
			if seen[l] || storedUnits(l) > 75 {
				t.Errorf("distinct(%q): %q stands twice or is too long", tt, l)
			}
			seen[l] = true
		}
	}
}
