package policy

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// file is the policy file. Keys that the format has but this
// version cannot enforce are of type unenforced: they are refused by name, for
// a rule that is read and not kept is worse than none.
type file struct {
	Defaults struct {
		OnClose   fileOnClose   `yaml:"on_close"`
		Deadlines fileDeadlines `yaml:"deadlines"`
	} `yaml:"defaults"`
	Rules []fileRule `yaml:"rules"`
	Gates unenforced `yaml:"gates"`
	URLs  fileURLs   `yaml:"urls"`
	Audit unenforced `yaml:"audit"`
}

// fileURLs says which pages people may be asked to open. Hosts are globs:
// *.example.com means every name below example.com.
type fileURLs struct {
	AllowHTTP bool       `yaml:"allow_http"`
	Allow     []fileGlob `yaml:"allow"`
	Deny      []fileGlob `yaml:"deny"`
}

func hosts(globs []fileGlob) []string {
	out := make([]string, len(globs))
	for i, g := range globs {
		out[i] = strings.ToLower(string(g))
	}
	return out
}

type fileRule struct {
	Server            fileGlob       `yaml:"server"`
	Tool              fileGlob       `yaml:"tool"`
	OnClose           fileOnClose    `yaml:"on_close"`
	Deadlines         fileDeadlines  `yaml:"deadlines"`
	Elicitation       *bool          `yaml:"elicitation"`
	Responders        fileResponders `yaml:"responders"`
	AllowSecretFields unenforced     `yaml:"allow_secret_fields"`
}

type fileDeadlines struct {
	Form    fileDuration `yaml:"form"`
	Confirm fileDuration `yaml:"confirm"`
	URL     fileDuration `yaml:"url"`
	Durable fileDuration `yaml:"durable"`
}

func (d fileDeadlines) settings() deadlines {
	return deadlines{
		form:    time.Duration(d.Form),
		confirm: time.Duration(d.Confirm),
		url:     time.Duration(d.URL),
		durable: time.Duration(d.Durable),
	}
}

// fileResponders takes the one setting that is enforced today. Anything wider
// would let more people answer than the file's author sees enforced.
type fileResponders struct {
	Requester        onlyTrue   `yaml:"requester"`
	Users            unenforced `yaml:"users"`
	Usergroups       unenforced `yaml:"usergroups"`
	ChannelMembers   unenforced `yaml:"channel_members"`
	ExcludeRequester unenforced `yaml:"exclude_requester"`
	AllowStrangers   unenforced `yaml:"allow_strangers"`
}

// Parse reads a policy file. An empty file is the default policy. The error
// names the line, shows it, and says what to do; all is refused or all holds.
func Parse(data []byte) (*Policy, error) {
	var f file
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		return nil, errors.New(yaml.FormatError(err, false, true))
	}
	p := &Policy{defaults: settings{
		onClose:   OnClose(f.Defaults.OnClose),
		deadlines: f.Defaults.Deadlines.settings(),
	}}
	p.urls = urls{allowHTTP: f.URLs.AllowHTTP, allow: hosts(f.URLs.Allow), deny: hosts(f.URLs.Deny)}
	for i, r := range f.Rules {
		if r.Server == "" && r.Tool == "" {
			return nil, fmt.Errorf("rules[%d]: names neither a server nor a tool; write server: \"*\" to mean all", i)
		}
		p.rules = append(p.rules, r.rule())
	}
	sortRules(p.rules)
	return p, nil
}

func (r fileRule) rule() rule {
	return rule{
		server: orAny(r.Server),
		tool:   orAny(r.Tool),
		settings: settings{
			onClose:     OnClose(r.OnClose),
			deadlines:   r.Deadlines.settings(),
			elicitation: r.Elicitation,
		},
	}
}

func orAny(g fileGlob) string {
	if g == "" {
		return "*"
	}
	return string(g)
}

// unenforced refuses the key it stands for.
type unenforced struct{}

// UnmarshalYAML refuses with the place of the key.
func (unenforced) UnmarshalYAML(n ast.Node) error {
	return &yaml.SyntaxError{
		Message: fmt.Sprintf("%s: this version cannot enforce it yet; remove the key", n.GetPath()),
		Token:   n.GetToken(),
	}
}

type onlyTrue struct{}

func (onlyTrue) UnmarshalYAML(n ast.Node) error {
	if b, ok := n.(*ast.BoolNode); ok && b.Value {
		return nil
	}
	return &yaml.SyntaxError{
		Message: n.GetPath() + ": this version lets the requester answer and nobody else; write true or remove the key",
		Token:   n.GetToken(),
	}
}

type fileGlob string

func (g *fileGlob) UnmarshalYAML(n ast.Node) error {
	s, err := stringAt(n)
	if err != nil {
		return err
	}
	if _, err := path.Match(s, ""); err != nil {
		return &yaml.SyntaxError{Message: fmt.Sprintf("%q is not a valid glob (*, ?, [a-z])", s), Token: n.GetToken()}
	}
	*g = fileGlob(s)
	return nil
}

type fileOnClose string

func (c *fileOnClose) UnmarshalYAML(n ast.Node) error {
	s, err := stringAt(n)
	if err != nil {
		return err
	}
	if v := OnClose(s); v != CloseCancels && v != CloseKeeps {
		return &yaml.SyntaxError{Message: fmt.Sprintf("%q: on_close is cancel or keep", s), Token: n.GetToken()}
	}
	*c = fileOnClose(s)
	return nil
}

type fileDuration time.Duration

func (d *fileDuration) UnmarshalYAML(n ast.Node) error {
	s, err := stringAt(n)
	if err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return &yaml.SyntaxError{Message: fmt.Sprintf("%q is not a duration such as 90s, 15m or 2h", s), Token: n.GetToken()}
	}
	if v < MinDeadline || v > MaxDeadline {
		return &yaml.SyntaxError{Message: fmt.Sprintf("%s: a deadline lies between %s and %s", s, MinDeadline, MaxDeadline), Token: n.GetToken()}
	}
	*d = fileDuration(v)
	return nil
}

func stringAt(n ast.Node) (string, error) {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value, nil
	}
	return "", &yaml.SyntaxError{Message: fmt.Sprintf("%s: expected text, found %s", n.GetPath(), n.Type()), Token: n.GetToken()}
}
