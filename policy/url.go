package policy

import (
	"net/netip"
	"path"
	"strings"
)

// urls are the rules for pages that servers want opened.
type urls struct {
	allowHTTP   bool
	allow, deny []string // globs of host names, in lower case
}

// PrivateHost reports whether a host is not on the public internet: a bare
// address of a private, loopback or link-local range, or a name that means one.
func PrivateHost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || addr.IsMulticast() || addr.IsInterfaceLocalMulticast()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".internal") || !strings.Contains(host, ".")
}

// MayOpen reports whether people may be asked to open a page of host. A host
// that allow names is fine even if it is a private one; deny counts more than
// allow.
func (p *Policy) MayOpen(host string, secure bool) Verdict {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	u := p.urls
	named := matchesAny(u.allow, host)
	switch {
	case !secure && !u.allowHTTP:
		return Verdict{Why: "the address is not encrypted (http), and urls.allow_http is not set"}
	case matchesAny(u.deny, host):
		return Verdict{Why: "urls.deny names this host"}
	case len(u.allow) > 0 && !named:
		return Verdict{Why: "urls.allow does not name this host"}
	case PrivateHost(host) && !named:
		return Verdict{Why: "the host is a private one, and urls.allow does not name it"}
	}
	return Verdict{Allowed: true, Why: "an address that may be opened"}
}

func matchesAny(globs []string, host string) bool {
	for _, g := range globs {
		if ok, err := path.Match(g, host); err == nil && ok {
			return true
		}
	}
	return false
}
