package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"strings"

	"github.com/goccy/go-yaml"
)

const manifestAbout = `Prints the manifest of the Slack app: paste it under "Create New App", "From a
manifest", at api.slack.com/apps. Without --http the app uses Socket Mode and
needs no address that Slack can reach.`

//go:embed manifest.yaml
var manifestTemplate []byte

func manifestCommand(_ context.Context, args []string, s stdio) error {
	var base string
	var asJSON bool
	define := func(fs *flag.FlagSet) {
		fs.StringVar(&base, "http", "", "make an app for HTTP mode, reached at this https `URL`")
		fs.BoolVar(&asJSON, "json", false, "print JSON instead of YAML")
	}
	if err := flags(s, "manifest", manifestAbout, false, args, define); err != nil {
		return err
	}
	m, err := manifest(base)
	if err != nil {
		return err
	}
	var out []byte
	if asJSON {
		out, err = json.MarshalIndent(m, "", "  ")
		out = append(out, '\n')
	} else {
		out, err = yaml.Marshal(m)
	}
	if err != nil {
		return fmt.Errorf("printing the manifest: %w", err)
	}
	_, err = s.out.Write(out)
	return err
}

// manifest is the template, turned to HTTP mode when base is set.
func manifest(base string) (map[string]any, error) {
	var m map[string]any
	if err := yaml.Unmarshal(manifestTemplate, &m); err != nil {
		return nil, fmt.Errorf("reading the manifest template: %w", err)
	}
	if base == "" {
		return m, nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--http %q: write the https address at which Slack reaches slackbridge, such as https://bridge.example.com", base)
	}
	base = strings.TrimSuffix(base, "/")
	settings, _ := m["settings"].(map[string]any) // the template is ours: tested
	settings["socket_mode_enabled"] = false
	interactivity, _ := settings["interactivity"].(map[string]any)
	interactivity["request_url"] = base + "/slack/interactions"
	interactivity["message_menu_options_url"] = base + "/slack/options"
	features, _ := m["features"].(map[string]any)
	commands, _ := features["slash_commands"].([]any)
	for _, c := range commands {
		if c, ok := c.(map[string]any); ok {
			c["url"] = base + "/slack/commands"
		}
	}
	return m, nil
}
