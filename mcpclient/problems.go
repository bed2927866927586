package mcpclient

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// What to say when an answer did not come although the request had left.
const (
	effectUnknown  = "whether the call had an effect is not known"
	brokeMeanwhile = "lost its connection while the call ran; " + effectUnknown
)

// unfinished is the error of a call that was sent: a server that is gone may
// have carried it out.
func unfinished(err error) error {
	var down *ServerDownError
	if !errors.As(err, &down) || strings.Contains(down.Problem, effectUnknown) {
		return err
	}
	return &ServerDownError{Server: down.Server, Problem: down.Problem + "; " + effectUnknown, Err: err}
}

// httpStatusError is an HTTP answer that is no MCP message.
type httpStatusError struct {
	server      string
	method      string // of the request
	code        int
	contentType string
	location    string // host of a redirect
	wants       string // what a 401 or 403 asks for, in words; empty when it does not say
	presented   bool   // the request carried a login
}

func statusError(server string, resp *http.Response) *httpStatusError {
	e := &httpStatusError{server: server, method: resp.Request.Method, code: resp.StatusCode, contentType: mediaType(resp)}
	e.presented = resp.Request.Header.Get("Authorization") != ""
	if e.code == http.StatusUnauthorized || e.code == http.StatusForbidden {
		e.wants = challenge(resp.Header.Get("Www-Authenticate"))
	}
	if to, err := resp.Location(); err == nil {
		to.RawQuery, to.User = "", nil // may hold a key
		e.location = to.String()
	}
	return e
}

// challenge says what a WWW-Authenticate header asks for: its scheme, and of its
// parameters those that help whoever sets the server up.
func challenge(header string) string {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(header), " ")
	if scheme == "" {
		return ""
	}
	out := []string{printable(scheme, 40)}
	for _, name := range []string{"error", "scope", "resource_metadata"} {
		if m := challengeParam(name).FindStringSubmatch(rest); m != nil {
			out = append(out, name+" "+printable(m[1], 300))
		}
	}
	return strings.Join(out, ", ")
}

// challengeParam finds a quoted parameter by its name.
func challengeParam(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[\s,])` + name + `\s*=\s*"([^"]*)"`)
}

// final reports whether asking again would be answered the same.
func (e *httpStatusError) final() bool {
	return e.code < 500 && e.code != http.StatusTooManyRequests && e.code != http.StatusRequestTimeout
}

func (e *httpStatusError) Error() string { return "server " + e.server + " " + e.problem() }

// problem says what the status means for whoever set the server up.
func (e *httpStatusError) problem() string {
	status := fmt.Sprintf("%d %s", e.code, http.StatusText(e.code))
	switch {
	case e.location != "":
		return fmt.Sprintf("redirects to %s, and redirects are not followed: put that address in the servers file if it is right", printable(e.location, 200))
	case e.presented && e.code == http.StatusUnauthorized:
		return "refuses the Authorization header that is set (" + joined(status, e.wants) + "): is the token right, and still valid?"
	case e.presented && e.code == http.StatusForbidden:
		return "refuses what we ask with the Authorization header that is set (" + joined(status, e.wants) + "): does the token have the right scope?"
	case e.wants != "":
		return "asks for a login (" + status + ": " + e.wants + "). slackbridge cannot log people in yet; if the server takes a fixed token, put it under headers, such as \"Authorization\": \"Bearer ${TOKEN}\""
	case e.code == http.StatusUnauthorized:
		return "refuses us (" + status + "): put what it wants under headers, such as \"Authorization\": \"Bearer ${TOKEN}\""
	case e.code == http.StatusForbidden:
		return "refuses us (" + status + "): are its headers right?"
	case e.code == http.StatusNotFound:
		return "has no MCP endpoint at this url (" + status + "): is the path right? Often it is /mcp"
	case e.code == http.StatusMethodNotAllowed && e.method == http.MethodPost:
		return "takes no POST at this url (" + status + "): is it an old HTTP+SSE address? Only streamable HTTP is supported"
	case e.code >= 200 && e.code < 300 && e.contentType != "application/json":
		return fmt.Sprintf("is no MCP endpoint at this url: it answers %s with %q", status, printable(e.contentType, 80))
	default:
		return "answers " + status
	}
}

func joined(status, wants string) string {
	if wants == "" {
		return status
	}
	return status + ": " + wants
}

// brokenError is a request that got no answer. The address is left out: its
// query may hold a key.
func brokenError(server string, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	problem := brokeMeanwhile + " (" + err.Error() + ")"
	var op *net.OpError
	var plain tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &plain), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		problem = "cannot be reached: it speaks no TLS at this url; is it http rather than https?"
	case errors.As(err, &certificate):
		problem = "cannot be reached: its certificate is not trusted (" + certificate.Err.Error() + "); SSL_CERT_FILE names further authorities"
	case errors.As(err, &op) && op.Op == "dial":
		problem = "cannot be reached: " + err.Error() + "; does it run, and is the url right?"
	}
	return &ServerDownError{Server: server, Problem: problem, Err: err}
}

// describe turns what went wrong while connecting into a ServerDownError.
func describe(server string, err error) *ServerDownError {
	var down *ServerDownError
	if errors.As(err, &down) {
		return down
	}
	var problem string
	var status *httpStatusError
	var protocol *ProtocolError
	switch {
	case errors.As(err, &status):
		problem = status.problem()
	case errors.As(err, &protocol):
		problem = "broke the protocol: " + protocol.Path + ": " + protocol.Problem
	case errors.Is(err, errHandshakeTimeout):
		problem = "does not answer the handshake: " + err.Error()
	default:
		problem = "cannot be used: " + printable(err.Error(), 500)
	}
	return &ServerDownError{Server: server, Problem: problem, Err: err}
}

// typed turns what is left of an error inside a connection into a
// ServerDownError. Everything else stays as it is.
func typed(server string, err error) error {
	var down *ServerDownError
	var status *httpStatusError
	switch {
	case err == nil, errors.As(err, &down):
		return err
	case errors.As(err, &status):
		return &ServerDownError{Server: server, Problem: status.problem(), Err: err}
	case errors.Is(err, errSessionGone), errors.Is(err, errTooLong):
		return &ServerDownError{Server: server, Problem: err.Error(), Err: err}
	}
	return err
}
