// Package archtest holds who may import whom, as a test, so that the layout
// cannot rot in silence. A new arrow is a decision record.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/slackbridge/slackbridge"

// rule says what one package may import. Standard library packages are
// allowed unless forbidden here.
type rule struct {
	ours      []string // packages of ours, relative to the module
	outside   []string // module prefixes of others
	forbidden []string // standard library packages
}

// pure packages do no I/O and have no clock.
var pure = []string{"net", "net/http", "os", "os/exec", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand"}

var rules = map[string]rule{
	"elicit": {forbidden: append([]string{"io"}, pure...)},
	"blockkit": {
		ours: []string{"elicit"},
		outside: []string{
			"github.com/slack-go/slack", // types only: see symbols_test.go
			"github.com/santhosh-tekuri/jsonschema/v6", "github.com/dlclark/regexp2/v2", "github.com/rivo/uniseg", "golang.org/x/text",
		},
		forbidden: pure,
	},
	"policy":                  {ours: []string{"elicit"}, outside: []string{"github.com/goccy/go-yaml"}, forbidden: pure},
	"correlate":               {ours: []string{"elicit"}, outside: []string{"github.com/redis/go-redis/v9", "github.com/alicebob/miniredis/v2"}},
	"correlate/correlatetest": {ours: []string{"elicit", "correlate"}, outside: []string{"github.com/google/go-cmp"}},
	"mcpclient":               {ours: []string{"elicit"}, outside: []string{"github.com/mark3labs/mcp-go", "golang.org/x/sys", "golang.org/x/sync"}},
	"slackapp":                {ours: []string{"elicit", "blockkit"}, outside: []string{"github.com/slack-go/slack", "github.com/gorilla/websocket", "golang.org/x/sync"}},
	"audit":                   {ours: []string{"elicit"}},
	"bridge":                  {ours: []string{"elicit", "blockkit", "policy"}, forbidden: []string{"net", "net/http", "os", "os/exec"}},
	"internal/slackrules":     {outside: []string{"github.com/rivo/uniseg"}, forbidden: pure},
	"internal/slacksim":       {ours: []string{"internal/slackrules"}, outside: []string{"github.com/gorilla/websocket", "golang.org/x/sync"}},
	"internal/slacksim/page":  {ours: []string{"internal/slacksim"}},
	"internal/metrics":        {ours: []string{"elicit", "correlate", "mcpclient"}, outside: []string{"github.com/prometheus/client_golang", "github.com/redis/go-redis/v9"}},
	"internal/tracing":        {ours: []string{"elicit"}, outside: []string{"go.opentelemetry.io/otel"}},
	"internal/redistest":      {outside: []string{"github.com/redis/go-redis/v9"}},
	"internal/demo":           {ours: []string{"internal/slacksim", "internal/slacksim/page"}, outside: []string{"github.com/mark3labs/mcp-go"}},
	"internal/chaos":          {}, // tests only
	"internal/conformance":    {ours: []string{"elicit", "blockkit", "mcpclient"}},
	"internal/bench":          {ours: []string{"blockkit"}, outside: []string{"github.com/redis/go-redis/v9"}},
	"internal/archtest":       {},
	"cmd/slackbridge": {
		ours: []string{
			"elicit", "blockkit", "policy", "correlate", "mcpclient", "slackapp", "audit", "bridge",
			"internal/slacksim", "internal/slacksim/page", "internal/demo", "internal/slackrules",
			"internal/metrics", "internal/tracing",
		},
		outside: []string{"github.com/kelseyhightower/envconfig", "github.com/redis/go-redis/v9", "github.com/goccy/go-yaml", "golang.org/x/sync"},
	},
}

type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatalf("reading go list: %v", err)
		}
		pkgs = append(pkgs, p)
	}
}

func TestImports_FollowTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		seen[name] = true
		r, ok := rules[name]
		if !ok {
			t.Errorf("%s is not in the table: say what it may import", name)
			continue
		}
		for _, imp := range p.Imports {
			if problem := r.check(imp); problem != "" {
				t.Errorf("%s imports %s: %s", name, imp, problem)
			}
		}
	}
	for name := range rules {
		if !seen[name] {
			t.Errorf("the table names %s, which does not exist", name)
		}
	}
}

func (r rule) check(imp string) string {
	if ours, ok := strings.CutPrefix(imp, module+"/"); ok {
		if !slices.Contains(r.ours, ours) {
			return "a new arrow between our packages needs a decision record"
		}
		return ""
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") { // standard library
		if slices.Contains(r.forbidden, imp) {
			return "this package is pure"
		}
		return ""
	}
	for _, prefix := range r.outside {
		if imp == prefix || strings.HasPrefix(imp, prefix+"/") {
			return ""
		}
	}
	return "this module is not for this package"
}
