package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// panel is what the test reads of a panel of Grafana.
type panel struct {
	ID         int    `json:"id"`
	Type       string `json:"type"`
	Title      string `json:"title"`
	Datasource struct {
		UID string `json:"uid"`
	} `json:"datasource"`
	GridPos struct{ H, W, X, Y int } `json:"gridPos"`
	Targets []struct {
		RefID string `json:"refId"`
		Expr  string `json:"expr"`
	} `json:"targets"`
}

// TestGrafana_DashboardCanBeImported checks what an import needs: a title, a
// data source that the importer chooses, panels that do not lie on each other,
// and queries in them. That its metrics exist is checked by
// TestMetrics_DocumentsNameOnlyWhatExists.
func TestGrafana_DashboardCanBeImported(t *testing.T) {
	data, err := os.ReadFile("../../deploy/grafana/slackbridge.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		ID            *int    `json:"id"`
		UID           string  `json:"uid"`
		Title         string  `json:"title"`
		SchemaVersion int     `json:"schemaVersion"`
		Panels        []panel `json:"panels"`
		Templating    struct {
			List []struct{ Name, Type string } `json:"list"`
		} `json:"templating"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if d.ID != nil || d.UID == "" || d.Title == "" || d.SchemaVersion == 0 {
		t.Errorf("id %v, uid %q, title %q, schemaVersion %d", d.ID, d.UID, d.Title, d.SchemaVersion)
	}
	if v := d.Templating.List; len(v) == 0 || v[0].Name != "datasource" || v[0].Type != "datasource" {
		t.Errorf("the first variable is not the data source: %v", v)
	}
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 {
			t.Errorf("panel %q has the id %d, which is taken", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("panel %q lies on %q, or outside", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("panel %q asks %q for %d queries", p.Title, p.Datasource.UID, len(p.Targets))
		}
		for _, q := range p.Targets {
			if !strings.Contains(q.Expr, "slackbridge_") || strings.Count(q.Expr, "(") != strings.Count(q.Expr, ")") {
				t.Errorf("panel %q: %s", p.Title, q.Expr)
			}
		}
	}
}

func TestAlerts_EachSaysWhatToDo(t *testing.T) {
	data, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	manual, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				For         string            `yaml:"for"`
				Labels      map[string]string `yaml:"labels"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&file); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			n++
			if r.Expr == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("%s is not complete", r.Alert)
			}
			if want := "docs/operations.md#" + strings.ToLower(r.Alert); r.Annotations["runbook"] != want {
				t.Errorf("%s has the runbook %q, want %q", r.Alert, r.Annotations["runbook"], want)
			}
			if !strings.Contains(string(manual), "\n### "+r.Alert+"\n") {
				t.Errorf("docs/operations.md does not say what to do for %s", r.Alert)
			}
			row := regexp.MustCompile(`(?m)^\| \[` + r.Alert + `\].*\| (\w+) \|$`).FindStringSubmatch(string(manual))
			if row == nil || row[1] != r.Labels["severity"] {
				t.Errorf("the table of docs/operations.md has no %s of severity %s", r.Alert, r.Labels["severity"])
			}
		}
	}
	if said := strings.Count(string(manual), "\n### Slackbridge"); n == 0 || said != n {
		t.Errorf("docs/operations.md explains %d alerts, there are %d", said, n)
	}
}
