package mcpclient

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes foreign text safe for a log line or an error text: control,
// format and invisible characters are escaped, so that no terminal obeys them,
// and the text is cut after limit characters.
func printable(s string, limit int) string {
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n == limit {
			b.WriteString("…")
			break
		}
		n++
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				fmt.Fprintf(&b, `\x%02x`, s[i])
				continue
			}
			b.WriteRune(r)
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
