package slacksim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// dateToken shows <!date^SECONDS^FORMAT^LINK|FALLBACK> in the reader's zone.
// A token that is not well formed shows its fallback.
func (r *renderer) dateToken(rest, fallback string) Run {
	parts := strings.SplitN(rest, "^", 3)
	sec, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || sec <= 0 || len(parts) < 2 || fallback == "" {
		return Run{Text: unescape(fallback)}
	}
	shown, ok := r.date(time.Unix(sec, 0), unescape(parts[1]))
	if !ok {
		return Run{Text: unescape(fallback)}
	}
	if len(parts) == 3 {
		return r.link(unescape(parts[2]), shown)
	}
	return Run{Text: shown}
}

// date fills the tokens of format; false when one is unknown or there is none.
func (r *renderer) date(t time.Time, format string) (string, bool) {
	t, now := t.In(r.zone), r.sim.opt.Now().In(r.zone)
	var b strings.Builder
	found := false
	for {
		before, rest, ok := strings.Cut(format, "{")
		b.WriteString(before)
		if !ok {
			return b.String(), found
		}
		name, after, ok := strings.Cut(rest, "}")
		shown, known := r.dateField(t, now, name)
		if !ok || !known {
			return "", false
		}
		b.WriteString(shown)
		format, found = after, true
	}
}

func (r *renderer) dateField(t, now time.Time, name string) (string, bool) {
	name, pretty := strings.CutSuffix(name, "_pretty")
	if pretty {
		if word, ok := nearDay(t, now); ok {
			return word, true
		}
	}
	switch name {
	case "date":
		return fmt.Sprintf("%s %s, %d", t.Month(), ordinal(t.Day()), t.Year()), true
	case "date_num":
		return t.Format("2006-01-02"), true
	case "date_slash":
		return t.Format("01/02/2006"), true
	case "date_short":
		return t.Format("Jan 2, 2006"), true
	case "date_long", "date_long_full", "day_divider":
		return fmt.Sprintf("%s, %s %s, %d", t.Weekday(), t.Month(), ordinal(t.Day()), t.Year()), true
	case "time":
		return t.Format(r.clock("3:04 PM", "15:04")), true
	case "time_secs":
		return t.Format(r.clock("3:04:05 PM", "15:04:05")), true
	case "ago":
		return ago(t.Sub(now)), true
	default:
		return "", false
	}
}

// clock chooses between the 12- and the 24-hour form by the reader's locale.
func (r *renderer) clock(twelve, twentyFour string) string {
	if r.locale == "en-US" {
		return twelve
	}
	return twentyFour
}

func nearDay(t, now time.Time) (string, bool) {
	day := func(d int) string { return now.AddDate(0, 0, d).Format(time.DateOnly) }
	switch t.Format(time.DateOnly) {
	case day(-1):
		return "yesterday", true
	case day(0):
		return "today", true
	case day(1):
		return "tomorrow", true
	default:
		return "", false
	}
}

func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

func ago(d time.Duration) string {
	form := "in %d %s"
	if d < 0 {
		d, form = -d, "%d %s ago"
	}
	n, unit := int(d.Seconds()), "seconds"
	switch {
	case d >= 48*time.Hour:
		n, unit = int(d.Hours()/24), "days"
	case d >= 2*time.Hour:
		n, unit = int(d.Hours()), "hours"
	case d >= 2*time.Minute:
		n, unit = int(d.Minutes()), "minutes"
	}
	return fmt.Sprintf(form, n, unit)
}
