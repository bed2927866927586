package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated parts of the documents anew")

const (
	tableStart = "<!-- environment: written by the test TestREADME_EnvironmentTable -update -->\n"
	tableEnd   = "<!-- /environment -->\n"
)

func environmentTable() string {
	var b strings.Builder
	b.WriteString("| variable | meaning | default |\n|---|---|---|\n")
	for _, v := range variables() {
		name := "`" + v.name + "`"
		if v.secret {
			name += " \\*"
		}
		fallback := ""
		if v.fallback != "" {
			fallback = "`" + v.fallback + "`"
		}
		b.WriteString("| " + name + " | " + v.meaning + " | " + fallback + " |\n")
	}
	return b.String()
}

func TestREADME_EnvironmentTable(t *testing.T) {
	const path = "../../README.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), tableStart)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatal("README.md has no place for the environment table")
	}
	want := before + tableStart + environmentTable() + tableEnd + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != want {
		t.Error("the environment table of README.md is not that of the code: run go test ./cmd/slackbridge -run README -update")
	}
}
