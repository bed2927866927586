package blockkit

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"github.com/slack-go/slack"
)

// Link is a page that a server wants a person to open. It is never opened or
// fetched by us.
type Link struct {
	raw string // as the server wrote it
	url *url.URL
}

// maxLink is how long the address of a button may be.
const maxLink = 3000

// parseLink reads an absolute http or https address that stands at p.
func parseLink(raw string, p path) (*Link, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, invalid(p, "is no URL")
	case !strings.EqualFold(u.Scheme, "https") && !strings.EqualFold(u.Scheme, "http"):
		return nil, invalid(p, "must be an absolute https URL, not of the scheme %q", shortened(u.Scheme, 40))
	case u.Hostname() == "" || u.Opaque != "":
		return nil, invalid(p, "must be an absolute https URL with a host")
	case strings.ContainsFunc(raw, func(r rune) bool { return r == '`' || r == '\\' || unicode.IsSpace(r) || isHidden(r) }):
		return nil, invalid(p, "holds a character that a URL cannot have")
	case !fits(raw, maxLink):
		return nil, unrenderable(p, "it is longer than Slack takes (%d characters)", maxLink)
	}
	return &Link{raw: raw, url: u}, nil
}

// URL is the address as the server wrote it.
func (l *Link) URL() string { return l.raw }

// Host is the name of the host, without a port.
func (l *Link) Host() string { return strings.ToLower(l.url.Hostname()) }

// Secure reports whether the address is an https one.
func (l *Link) Secure() bool { return strings.EqualFold(l.url.Scheme, "https") }

// warnings are what a person should know before they open the page.
func (l *Link) warnings() []phrase {
	var out []phrase
	host := l.Host()
	_, ipErr := netip.ParseAddr(host)
	ascii := strings.IndexFunc(host, func(r rune) bool { return r >= 0x80 }) < 0
	if !l.Secure() {
		out = append(out, say("The connection to this page is not encrypted (http)."))
	}
	if l.url.User != nil {
		out = append(out, say("The address has a user name in it. What stands before the @ is not where it leads."))
	}
	if ipErr == nil {
		out = append(out, say("The address is a bare number instead of a name."))
	}
	if !ascii || strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		out = append(out, say("The name of the host has letters of other alphabets, which can look like ones you know."))
	}
	return out
}

// Modal shows where the link leads, and offers to open it: pressing that is
// the consent. Only who may answer gets to see it.
func (l *Link) Modal(v FormView) Modal {
	lang := v.Reader.Language
	blocks := []slack.Block{sentence(v.head())}
	if words := shown(v.Message); !isBlank(words) {
		blocks = append(blocks, quotes(words, maxMessage/maxText*2)...)
	}
	blocks = append(blocks, sentence(say("It asks you to open a page of %s:", Bold(l.Host())).words(lang)))
	blocks = append(blocks, sentence(fragment{text: shownLine(l.raw), code: true}))
	for _, w := range l.warnings() {
		blocks = append(blocks, sentence(Text("⚠ "+w.in(lang))))
	}
	open := button(ActionOpenURL, string(v.ID), say(wordOpenLink).in(lang))
	open.URL = l.raw
	blocks = append(blocks, actions(open, button(ActionDecline, string(v.ID), say(wordDecline).in(lang))))
	m := modal(v.Server, lang, blocks...)
	m.Close = plain(say(wordCancel).in(lang))
	m.CallbackID, m.PrivateMetadata = CallbackURL, string(v.ID)
	m.ExternalID = externalID(string(v.ID), v.User, openedAt(v.Opened))
	m.NotifyOnClose = true
	return Modal{View: m}
}

// OpenedModal takes the place of a link's modal once the link was opened. When
// the server can only be told afterwards, the person says when they are done.
func (l *Link) OpenedModal(v FormView, done bool) Modal {
	lang := v.Reader.Language
	blocks := []slack.Block{sentence(v.head())}
	if !done {
		blocks = append(blocks, sentence(say("Finish on %s in your browser. You can close this window.", Bold(l.Host())).words(lang)))
	} else {
		blocks = append(blocks,
			sentence(say("Finish on %s in your browser, then press Done.", Bold(l.Host())).words(lang)),
			actions(button(ActionDoneURL, string(v.ID), say(wordDone).in(lang)), button(ActionCancel, string(v.ID), say(wordCancel).in(lang))))
	}
	m := modal(v.Server, lang, blocks...)
	m.CallbackID, m.PrivateMetadata = CallbackNotice, string(v.ID)
	return Modal{View: m}
}
