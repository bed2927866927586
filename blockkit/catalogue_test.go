package blockkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// saidKeys are the literals and constants that are given to say in this
// package.
func saidKeys(t *testing.T) map[string]token.Position {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	calls := map[ast.Expr]bool{}
	var lists [][]ast.Expr // literals that are chosen from before they are said
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if s, ok := literal(v); ok && i < len(n.Names) {
						constants[n.Names[i].Name] = s
					}
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "say" {
					calls[n.Args[0]] = true
				}
			case *ast.FuncDecl:
				if n.Name.Name == "words" && n.Recv != nil {
					lists = append(lists, literals(n))
				}
			}
			return true
		})
	}
	out := map[string]token.Position{}
	for arg := range calls {
		if s, ok := literal(arg); ok {
			out[s] = fset.Position(arg.Pos())
		} else if id, ok := arg.(*ast.Ident); ok && constants[id.Name] != "" {
			out[constants[id.Name]] = fset.Position(arg.Pos())
		}
	}
	for _, l := range lists {
		for _, e := range l {
			if s, _ := literal(e); strings.Contains(s, "%s") {
				out[s] = fset.Position(e.Pos())
			}
		}
	}
	return out
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

func literals(n ast.Node) []ast.Expr {
	var out []ast.Expr
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(*ast.BasicLit); ok {
			out = append(out, e)
		}
		return true
	})
	return out
}

func TestCatalogue_HasEverySentenceOfAForm(t *testing.T) {
	said := saidKeys(t)
	if len(said) < 50 {
		t.Fatalf("only %d sentences were found", len(said))
	}
	for key, pos := range said {
		if simplifiedChinese[key] == "" {
			t.Errorf("%s: no Chinese for %q", pos, key)
		}
	}
}

// places are the verbs of a sentence, by the argument that they stand for.
func places(s string) []string {
	var out []string
	for i, m := range regexp.MustCompile(`%(?:\[(\d)\])?([sd])`).FindAllStringSubmatch(s, -1) {
		n := strconv.Itoa(i + 1)
		if m[1] != "" {
			n = m[1]
		}
		out = append(out, n+m[2])
	}
	slices.Sort(out)
	return out
}

func TestCatalogue_TranslationsHaveThePlacesOfTheirSentence(t *testing.T) {
	for key, text := range simplifiedChinese {
		if want, got := places(key), places(text); !slices.Equal(want, got) {
			t.Errorf("%q has the places %v, its translation %v", key, want, got)
		}
	}
	for key, one := range englishSingulars {
		if want, got := places(key), places(one); !slices.Equal(want, got) {
			t.Errorf("%q has the places %v, its singular %v", key, want, got)
		}
	}
}

func TestPhrase_PluralsAndOrder(t *testing.T) {
	for _, tt := range []struct {
		p      phrase
		en, zh string
	}{
		{hintLength(0, 1), "At most 1 character.", "最多 1 个字符。"},
		{hintLength(0, 2), "At most 2 characters.", "最多 2 个字符。"},
		{hintLength(1, -1), "At least 1 character.", "至少 1 个字符。"},
		{errTooLong(1, 3), "Please enter at most 1 character; this has 3.", "最多输入 1 个字符；现在有 3 个。"},
		{say("Please correct “%s” on page %d: %s", "X", 2, errFill), "Please correct “X” on page 2: Please fill in this field.", "请更正第 2 页的“X”：请填写此项。"},
	} {
		if got := tt.p.in(English); got != tt.en {
			t.Errorf("%q, want %q", got, tt.en)
		}
		if got := tt.p.in(SimplifiedChinese); got != tt.zh {
			t.Errorf("%q, want %q", got, tt.zh)
		}
	}
	w := say("%s asks in the call of %s by %s.", Text("S"), Text("T"), Text("R"))
	if got := w.words(SimplifiedChinese).Plain(); got != "S 在 R 对 T 的调用中提问。" {
		t.Errorf("%q", got)
	}
	if got := w.words(English).Plain(); got != "S asks in the call of T by R." {
		t.Errorf("%q", got)
	}
}

func TestLanguageOf_FollowsTheLocaleOfSlack(t *testing.T) {
	for locale, want := range map[string]Language{
		"en-US": English, "en-GB": English, "de-DE": English, "ja-JP": English, "": English, "?": English,
		"zh-CN": SimplifiedChinese, "zh-TW": SimplifiedChinese, "zh": SimplifiedChinese,
	} {
		if got := LanguageOf(locale); got != want {
			t.Errorf("%s: %v, want %v", locale, got, want)
		}
	}
}
