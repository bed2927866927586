package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forbiddenSymbols are what a pure package must not use of packages that it
// may import for their types.
var forbiddenSymbols = map[string]map[string]bool{
	"slack": {"New": true, "Client": true, "OptionHTTPClient": true, "PostWebhook": true},
	"time":  {"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true, "AfterFunc": true, "NewTimer": true, "NewTicker": true, "Tick": true},
}

func TestPurePackages_HaveNoClientAndNoClock(t *testing.T) {
	for _, dir := range []string{"blockkit", "policy", "elicit", "internal/slackrules"} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			checkSymbols(t, file)
		}
	}
}

func TestNothingStoresAContextExceptWhereSaid(t *testing.T) {
	// A context in a struct outlives what it stands for. The exceptions say
	// why in a comment on the field.
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			st, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range st.Fields.List {
				sel, ok := field.Type.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != "Context" {
					continue
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "context" && field.Comment == nil && field.Doc == nil {
					t.Errorf("%s stores a context without saying what it governs", fset.Position(field.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkSymbols(t *testing.T, file string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil && forbiddenSymbols[x.Name][sel.Sel.Name] {
			t.Errorf("%s uses %s.%s: this package is pure", fset.Position(sel.Pos()), x.Name, sel.Sel.Name)
		}
		return true
	})
}
