package blockkit_test

import (
	"strings"
	"time"
)

func textRows() topic {
	return topic{"Text", "Lengths count Unicode code points. Patterns are those of ECMA-262, with lookahead and Unicode, and are checked when the form is submitted.", []row{
		{"bare", `{"type":"string"}`, false, types("hello"), `{"x":"hello"}`},
		{"title and description", `{"type":"string","title":"Service","description":"What to deploy"}`, true, types("payments"), `{"x":"payments"}`},
		{"title only", `{"type":"string","title":"Service"}`, true, types("a & b <c>"), `{"x":"a & b <c>"}`},
		{"description only", `{"type":"string","description":"What to deploy"}`, true, types("payments"), `{"x":"payments"}`},
		{"long description", `{"type":"string","description":"` + strings.Repeat("word ", 31) + `"}`, true, types("a"), `{"x":"a"}`},
		{"optional left blank", `{"type":"string","minLength":4}`, false, leave(), `{}`},
		{"required left blank", `{"type":"string"}`, true, leave(), "! Please fill in this field."},
		{"default kept", `{"type":"string","default":"prod"}`, false, leave(), `{"x":"prod"}`},
		{"default cleared", `{"type":"string","default":"prod"}`, false, empty(), `{}`},
		{"default of several lines", `{"type":"string","default":"one\ntwo"}`, false, leave(), `{"x":"one\ntwo"}`},
		{"long default", `{"type":"string","default":"` + strings.Repeat("x", 81) + `"}`, false, leave(), `{"x":"` + strings.Repeat("x", 81) + `"}`},
		{"default within every rule", `{"type":"string","default":"INC-42","minLength":5,"maxLength":10,"pattern":"^INC-"}`, true, leave(), `{"x":"INC-42"}`},
		{"default that breaks the pattern", `{"type":"string","default":"42","pattern":"^INC-"}`, false, leave(), `{}`},
		{"empty default", `{"type":"string","default":""}`, false, leave(), `{}`},
		{"default too long", `{"type":"string","default":"production","maxLength":4}`, false, leave(), `{}`},
		{"default of another type", `{"type":"string","default":5}`, false, leave(), `{}`},
		{"short maximum", `{"type":"string","maxLength":80}`, false, types("x"), `{"x":"x"}`},
		{"maximum of 150", `{"type":"string","maxLength":150}`, false, types("x"), `{"x":"x"}`},
		{"maximum of 151", `{"type":"string","maxLength":151}`, false, types("x"), `{"x":"x"}`},
		{"long maximum", `{"type":"string","maxLength":2000}`, false, types("one\ntwo"), `{"x":"one\ntwo"}`},
		{"minLength met", `{"type":"string","minLength":3}`, true, types("日本語"), `{"x":"日本語"}`},
		{"minLength broken", `{"type":"string","minLength":3}`, true, types("ab"), "! Please enter at least 3 characters; this has 2."},
		{"minLength broken in an optional field", `{"type":"string","minLength":3}`, false, types("ab"), "! Please enter at least 3 characters; this has 2."},
		{"maxLength met by emoji", `{"type":"string","maxLength":2}`, true, types("👍👍"), `{"x":"👍👍"}`},
		{"maxLength broken", `{"type":"string","maxLength":2}`, true, types("abc"), "! Please enter at most 2 characters; this has 3."},
		{"pattern met", `{"type":"string","pattern":"^INC-[0-9]+$"}`, true, types("INC-42"), `{"x":"INC-42"}`},
		{"pattern broken", `{"type":"string","pattern":"^INC-[0-9]+$"}`, true, types("42"), "! Please enter text that matches ^INC-[0-9]+$"},
		{"pattern with lookahead", `{"type":"string","pattern":"^(?=.*[0-9])[a-z0-9]+$"}`, true, types("abc"), "! Please enter text that matches ^(?=.*[0-9])[a-z0-9]+$"},
		{"pattern with Unicode", `{"type":"string","pattern":"^\\p{Lu}\\p{L}*$"}`, true, types("Ünal"), `{"x":"Ünal"}`},
		{"pattern that no engine knows", `{"type":"string","pattern":"(["}`, true, types("anything"), `{"x":"anything"}`},
		{"empty text in quotes is text", `{"type":"string"}`, true, types(`""`), `{"x":"\"\""}`},
	}}
}

func formatRows() topic {
	moment := time.Date(2026, 12, 1, 10, 30, 0, 0, time.UTC)
	summer := time.Date(2026, 7, 1, 10, 30, 0, 0, time.UTC)
	return topic{"Formats", "A date and time is sent with the offset of the person's Slack time zone at that moment, `Z` for UTC. A format that is not known says nothing, as JSON Schema has it.", []row{
		{"email", `{"type":"string","format":"email","title":"Contact"}`, true, types("ann@example.com"), `{"x":"ann@example.com"}`},
		{"email broken", `{"type":"string","format":"email"}`, true, types("ann"), "! Please enter an email address, such as ann@example.com."},
		{"email default", `{"type":"string","format":"email","default":"ann@example.com"}`, false, leave(), `{"x":"ann@example.com"}`},
		{"email default that is none", `{"type":"string","format":"email","default":"ann"}`, false, leave(), `{}`},
		{"email within a pattern", `{"type":"string","format":"email","pattern":"@example\\.com$"}`, true, types("ann@example.org"), `! Please enter text that matches @example\.com$`},
		{"email left blank", `{"type":"string","format":"email"}`, false, leave(), `{}`},
		{"uri", `{"type":"string","format":"uri"}`, true, types("https://example.com/a?b=c#d"), `{"x":"https://example.com/a?b=c#d"}`},
		{"uri broken", `{"type":"string","format":"uri"}`, true, types("example.com"), "! Please enter a full URL, such as https://example.com/page."},
		{"uri left blank", `{"type":"string","format":"uri"}`, false, leave(), `{}`},
		{"uri default", `{"type":"string","format":"uri","default":"https://example.com/"}`, false, leave(), `{"x":"https://example.com/"}`},
		{"uri default that is relative", `{"type":"string","format":"uri","default":"/docs"}`, false, leave(), `{}`},
		{"uri with a default for a plain input", `{"type":"string","format":"uri","default":"urn:isbn:0451450523"}`, true, leave(), `{"x":"urn:isbn:0451450523"}`},
		{"date", `{"type":"string","format":"date"}`, true, picksDay("2026-12-01"), `{"x":"2026-12-01"}`},
		{"date with a title", `{"type":"string","format":"date","title":"Day","description":"When may it happen?"}`, true, picksDay("2028-02-29"), `{"x":"2028-02-29"}`},
		{"date left open", `{"type":"string","format":"date"}`, false, leave(), `{}`},
		{"date default", `{"type":"string","format":"date","default":"2026-12-24"}`, false, leave(), `{"x":"2026-12-24"}`},
		{"date default that does not exist", `{"type":"string","format":"date","default":"2026-02-30"}`, false, leave(), `{}`},
		{"date default cleared", `{"type":"string","format":"date","default":"2026-12-24"}`, false, empty(), `{}`},
		{"date required", `{"type":"string","format":"date"}`, true, leave(), "! Please choose a date."},
		{"date-time", `{"type":"string","format":"date-time"}`, true, picksMoment(moment), `{"x":"2026-12-01T11:30:00+01:00"}`},
		{"date-time in summer", `{"type":"string","format":"date-time"}`, true, picksMoment(summer), `{"x":"2026-07-01T12:30:00+02:00"}`},
		{"date-time of a person in UTC", `{"type":"string","format":"date-time","title":"At"}`, true, picksMomentIn("UTC", moment), `{"x":"2026-12-01T10:30:00Z"}`},
		{"date-time of a person in India", `{"type":"string","format":"date-time"}`, true, picksMomentIn("Asia/Kolkata", moment), `{"x":"2026-12-01T16:00:00+05:30"}`},
		{"date-time left open", `{"type":"string","format":"date-time"}`, false, leave(), `{}`},
		{"date-time default", `{"type":"string","format":"date-time","default":"2026-11-05T14:30:00.250Z"}`, true, leave(), `{"x":"2026-11-05T15:30:00+01:00"}`},
		{"date-time default with an offset", `{"type":"string","format":"date-time","default":"2026-11-05T14:30:00+05:30"}`, false, leave(), `{"x":"2026-11-05T10:00:00+01:00"}`},
		{"date-time default cleared", `{"type":"string","format":"date-time","default":"2026-11-05T14:30:00Z"}`, false, empty(), `{}`},
		{"date-time that must be UTC", `{"type":"string","format":"date-time","pattern":"Z$"}`, true, picksMoment(moment), `{"x":"2026-12-01T10:30:00Z"}`},
		{"date-time default without offset", `{"type":"string","format":"date-time","default":"2026-11-05T14:30:00"}`, false, leave(), `{}`},
		{"date-time required", `{"type":"string","format":"date-time"}`, true, leave(), "! Please choose a date and a time."},
		{"another format", `{"type":"string","format":"ipv4"}`, true, types("192.0.2.300"), "! Please enter a valid ipv4, such as 192.0.2.1."},
		{"unknown format", `{"type":"string","format":"postcode"}`, true, types("12345"), `{"x":"12345"}`},
	}}
}
