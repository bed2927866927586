package blockkit

// Hints under a field.

func hintLength(lo, hi int) phrase {
	switch {
	case lo > 0 && lo == hi:
		return say("Exactly %d characters.", lo)
	case lo > 0 && hi >= 0:
		return say("%d to %d characters.", lo, hi)
	case lo > 0:
		return say("At least %d characters.", lo)
	case hi >= 0:
		return say("At most %d characters.", hi)
	}
	return phrase{}
}

// hintItems says how many may be chosen; hi is -1 without an upper bound.
func hintItems(lo, hi int) phrase {
	switch {
	case lo > 0 && lo == hi:
		return say("Choose exactly %d.", lo)
	case lo > 0 && hi >= 0:
		return say("Choose %d to %d.", lo, hi)
	case lo > 0:
		return say("Choose at least %d.", lo)
	case hi >= 0:
		return say("Choose at most %d.", hi)
	}
	return phrase{}
}

// hintPattern shows the pattern that is checked; one that no engine compiles is
// left to the server.
func hintPattern(p pattern) phrase {
	short := cut(shownLine(p.source), 120)
	if p.re == nil {
		return say("Should match %s, which only the server can check.", short)
	}
	return say("Must match: %s", short)
}

func hintZone(zone string) phrase {
	if zone == "" {
		return say("Sent with the offset of your Slack time zone. The picker may show the zone of your device.")
	}
	return say("Sent with the offset of your Slack time zone, %s. The picker may show the zone of your device.", zone)
}

// Errors at a field: what is expected. Each has at most maxErrorText
// characters.

var (
	errFill       = say("Please fill in this field.")
	errChoose     = say("Please choose one of the options.")
	errNotOffered = say("This choice is not among the options. Please choose again.")
	errUnreadable = say("This could not be read. Please enter it again.")
	errNumber     = say("Please enter a number, such as 12.5.")
	errInteger    = say("Please enter a whole number, such as 12.")
	errEmail      = say("Please enter an email address, such as ann@example.com.")
	errURI        = say("Please enter a full URL, such as https://example.com/page.")
	errDate       = say("Please choose a date.")
	errMoment     = say("Please choose a date and a time.")
	errTooHard    = say("This could not be checked against the pattern that is asked for. Please try a shorter or simpler text.")
)

func errTooShort(lo, have int) phrase {
	return say("Please enter at least %d characters; this has %d.", lo, have)
}

func errTooLong(hi, have int) phrase {
	return say("Please enter at most %d characters; this has %d.", hi, have)
}

func errPattern(p pattern) phrase {
	return say("Please enter text that matches %s", cut(shownLine(p.source), 100))
}

// formatExamples help where the name of a format alone would not.
var formatExamples = map[string]string{
	"time": "10:30:00Z", "duration": "PT1H30M", "hostname": "db1.example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uuid": "123e4567-e89b-12d3-a456-426614174000",
}

func errFormat(format string) phrase {
	name := cut(shownLine(format), 60)
	if e := formatExamples[format]; e != "" {
		return say("Please enter a valid %s, such as %s.", name, e)
	}
	return say("Please enter a valid %s.", name)
}

func errRange(b bounds) phrase { return say("Please enter a number %s.", b.words()) }

// words says what numbers the bounds allow: "from 1 to 5", "of at least 0".
func (b bounds) words() phrase {
	lo, hi := "of at least %s", "of at most %s"
	if b.loOpen {
		lo = "greater than %s"
	}
	if b.hiOpen {
		hi = "less than %s"
	}
	above, below := say(lo, b.lo.short()), say(hi, b.hi.short())
	switch {
	case b.lo == nil && b.hi == nil:
		return phrase{}
	case b.hi == nil:
		return above
	case b.lo == nil:
		return below
	case b.loOpen || b.hiOpen:
		return say("%s and %s", above, below)
	}
	return say("from %s to %s", b.lo.short(), b.hi.short())
}

func hintRange(b bounds) phrase {
	if w := b.words(); !w.empty() {
		return say("A number %s.", w)
	}
	return phrase{}
}

func hintMultiple(n *numeral) phrase { return say("A multiple of %s.", n.short()) }

func errMultiple(n *numeral) phrase { return say("Please enter a multiple of %s.", n.short()) }

func errTooFew(lo int) phrase { return say("Please choose at least %d.", lo) }

func errTooMany(hi int) phrase { return say("Please choose at most %d.", hi) }

func errWhole(problem string) phrase {
	return say("The answers together are not what the server asks for: %s", problem)
}

// maxErrorText is how long an error at a field may be; Slack names no limit.
const maxErrorText = 150

// fieldError fits s into an error at a field.
func fieldError(s string) string { return cut(s, maxErrorText) }

// fitErrors keeps the errors of a form within an acknowledgement: all of them,
// each as long as there is room for.
func fitErrors(errs map[string]string) map[string]string {
	total := 0
	for id, e := range errs {
		total += jsonSize(e) + len(id) + errorBytes
	}
	if total <= maxReply {
		return errs
	}
	share := maxReply/len(errs) - errorBytes
	for id, e := range errs {
		for limit := maxErrorText; jsonSize(e)+len(id) > share && limit > 1; limit -= 10 {
			e = cut(e, limit)
		}
		errs[id] = e
	}
	return errs
}

// errorBytes is what an error weighs besides its text and the id of its block.
const errorBytes = len(`"":"",`)
