package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/kelseyhightower/envconfig"
)

// secret is a value that must not be printed: every way of printing it yields
// a placeholder. Read it with reveal, at the place that needs it.
type secret string

const hidden = "[hidden]"

func (secret) String() string               { return hidden }
func (secret) GoString() string             { return hidden }
func (secret) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// reveal returns the value itself.
func (s secret) reveal() string { return string(s) }

// config is the environment of slackbridge. The names are fixed: other
// people's scripts rely on them. `desc` is what --help and the README say.
type config struct {
	BotToken      secret        `envconfig:"SLACK_BOT_TOKEN" desc:"bot token, xoxb-…"`
	AppToken      secret        `envconfig:"SLACK_APP_TOKEN" desc:"app-level token, xapp-…; when set, Socket Mode is used"`
	SigningSecret secret        `envconfig:"SLACK_SIGNING_SECRET" desc:"signing secret; HTTP mode, when no app token is set"`
	SlackAPIURL   string        `envconfig:"SLACK_API_URL" default:"https://slack.com/api/" desc:"base of Slack's Web API"`
	RedisURL      secret        `envconfig:"REDIS_URL" desc:"redis://, rediss://, redis-cluster:// or redis-sentinel://; empty: an embedded Redis in memory, for one replica, that forgets everything at a restart"`
	SealKeys      secret        `envconfig:"SLACKBRIDGE_SEAL_KEYS" desc:"comma list of base64 32-byte keys, newest first; needed with REDIS_URL"`
	ServersFile   string        `envconfig:"SLACKBRIDGE_SERVERS" default:"mcp.json" desc:"the file with your MCP servers (mcpServers JSON)"`
	PolicyFile    string        `envconfig:"SLACKBRIDGE_POLICY" desc:"policy file; default policy.yaml, if there is one"`
	Listen        string        `envconfig:"SLACKBRIDGE_LISTEN" default:":8080" desc:"address for /healthz, /readyz and /metrics and, in HTTP mode, for Slack"`
	AuditFile     string        `envconfig:"SLACKBRIDGE_AUDIT_FILE" desc:"file for audit records, one JSON line each; empty: none is written"`
	Drain         time.Duration `envconfig:"SLACKBRIDGE_DRAIN" default:"20s" desc:"how long open questions may still be answered after SIGTERM"`
	OTLP          string        `envconfig:"OTEL_EXPORTER_OTLP_ENDPOINT" desc:"base URL of an OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318; empty: nothing is traced"`
	OTLPTraces    string        `envconfig:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" desc:"the whole URL for traces, when it is not /v1/traces under that"`
	LogLevel      string        `envconfig:"LOG_LEVEL" default:"info" desc:"debug, info, warn or error"`
	LogFormat     string        `envconfig:"LOG_FORMAT" default:"text" desc:"text or json"`

	messageInterval time.Duration // see slackapp.Options; tests set it
}

// secrets lists what may also be given as NAME_FILE, the path of a file that
// holds the value, as container platforms mount secrets.
func (c *config) secrets() map[string]*secret {
	return map[string]*secret{
		"SLACK_BOT_TOKEN": &c.BotToken, "SLACK_APP_TOKEN": &c.AppToken, "SLACK_SIGNING_SECRET": &c.SigningSecret,
		"REDIS_URL": &c.RedisURL, "SLACKBRIDGE_SEAL_KEYS": &c.SealKeys,
	}
}

const defaultPolicyFile = "policy.yaml"

// loadConfig reads the environment. All problems are reported together, each
// with what to do; no secret is part of any message.
func loadConfig() (config, error) {
	var c config
	var errs []error
	if err := envconfig.Process("", &c); err != nil {
		return c, parseProblem(err)
	}
	for name, value := range c.secrets() {
		if err := readSecretFile(name, value); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, c.checkSlack()...)
	errs = append(errs, c.checkRest()...)
	return c, errors.Join(errs...)
}

// parseProblem names the variable that cannot be read. envconfig's own text
// would quote the value.
func parseProblem(err error) error {
	var pe *envconfig.ParseError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s is not a %s such as 20s", pe.KeyName, pe.TypeName)
	}
	return fmt.Errorf("reading the environment: %w", err)
}

func readSecretFile(name string, value *secret) error {
	path := os.Getenv(name + "_FILE")
	if path == "" {
		return nil
	}
	if *value != "" {
		return fmt.Errorf("%s and %s_FILE are both set; keep one", name, name)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s_FILE cannot be read: %w", name, err)
	}
	*value = secret(strings.TrimSpace(string(data)))
	if *value == "" {
		return fmt.Errorf("%s_FILE: %s is empty", name, path)
	}
	return nil
}

func (c *config) checkSlack() []error {
	var errs []error
	switch {
	case c.BotToken == "":
		errs = append(errs, errors.New("SLACK_BOT_TOKEN is not set: take the Bot User OAuth Token (xoxb-…) from your app's page, OAuth & Permissions"))
	case !strings.HasPrefix(c.BotToken.reveal(), "xoxb-"):
		errs = append(errs, errors.New("SLACK_BOT_TOKEN is not a bot token: it begins with xoxb-"))
	}
	switch {
	case c.AppToken == "" && c.SigningSecret == "":
		errs = append(errs, errors.New("neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set: "+
			"set SLACK_APP_TOKEN (xapp-…, scope connections:write) for Socket Mode, or SLACK_SIGNING_SECRET for HTTP"))
	case c.AppToken != "" && !strings.HasPrefix(c.AppToken.reveal(), "xapp-"):
		errs = append(errs, errors.New("SLACK_APP_TOKEN is not an app-level token: it begins with xapp-"))
	}
	return errs
}

func (c *config) checkRest() []error {
	var errs []error
	if c.RedisURL != "" && c.SealKeys == "" {
		errs = append(errs, fmt.Errorf("SLACKBRIDGE_SEAL_KEYS is not set, but REDIS_URL is: answers are stored sealed; "+
			"make a key with  head -c 32 /dev/urandom | base64  (%d characters) and keep it", base64.StdEncoding.EncodedLen(32)))
	}
	if _, err := c.level(); err != nil {
		errs = append(errs, err)
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		errs = append(errs, fmt.Errorf("LOG_FORMAT is %q: write text or json", c.LogFormat))
	}
	if err := checkEndpoint(c.tracesEndpoint()); err != nil {
		errs = append(errs, err)
	}
	if c.Drain < 0 {
		errs = append(errs, fmt.Errorf("SLACKBRIDGE_DRAIN is %s: write a duration such as 20s", c.Drain))
	}
	if c.PolicyFile == "" {
		if _, err := os.Stat(defaultPolicyFile); err == nil {
			c.PolicyFile = defaultPolicyFile
		} else if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("looking for %s: %w", defaultPolicyFile, err))
		}
	}
	return errs
}

// tracesEndpoint is where traces go; empty: nowhere.
func (c *config) tracesEndpoint() string {
	if c.OTLPTraces != "" || c.OTLP == "" {
		return c.OTLPTraces
	}
	return strings.TrimSuffix(c.OTLP, "/") + "/v1/traces"
}

func checkEndpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errors.New("OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not an http or https URL: write for example http://localhost:4318")
	}
	return nil
}

func (c *config) level() (slog.Level, error) {
	var l slog.Level
	switch strings.ToLower(c.LogLevel) {
	case "debug", "info", "warn", "error":
		return l, l.UnmarshalText([]byte(c.LogLevel))
	}
	return l, fmt.Errorf("LOG_LEVEL is %q: write debug, info, warn or error", c.LogLevel)
}

func (c *config) socketMode() bool { return c.AppToken != "" }
