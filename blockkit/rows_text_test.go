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
		{"optional left blank", `{"type":"string","minLength":4}`, false, leave(), `{}`},
		{"required left blank", `{"type":"string"}`, true, leave(), "! Please fill in this field."},
		{"default kept", `{"type":"string","default":"prod"}`, false, leave(), `{"x":"prod"}`},
		{"default cleared", `{"type":"string","default":"prod"}`, false, empty(), `{}`},
		{"default too long", `{"type":"string","default":"production","maxLength":4}`, false, leave(), `{}`},
		{"default of another type", `{"type":"string","default":5}`, false, leave(), `{}`},
		{"short maximum", `{"type":"string","maxLength":80}`, false, types("x"), `{"x":"x"}`},
		{"long maximum", `{"type":"string","maxLength":2000}`, false, types("one\ntwo"), `{"x":"one\ntwo"}`},
		{"minLength met", `{"type":"string","minLength":3}`, true, types("日本語"), `{"x":"日本語"}`},
		{"minLength broken", `{"type":"string","minLength":3}`, true, types("ab"), "! Please enter at least 3 characters; this has 2."},
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
	return topic{"Formats", "A date and time is sent with the offset of the person's Slack time zone at that moment. A format that is not known says nothing, as JSON Schema has it.", []row{
		{"email", `{"type":"string","format":"email","title":"Contact"}`, true, types("ann@example.com"), `{"x":"ann@example.com"}`},
		{"email broken", `{"type":"string","format":"email"}`, true, types("ann"), "! Please enter an email address, such as ann@example.com."},
		{"email default", `{"type":"string","format":"email","default":"ann@example.com"}`, false, leave(), `{"x":"ann@example.com"}`},
		{"email left blank", `{"type":"string","format":"email"}`, false, leave(), `{}`},
		{"uri", `{"type":"string","format":"uri"}`, true, types("https://example.com/a?b=c#d"), `{"x":"https://example.com/a?b=c#d"}`},
		{"uri broken", `{"type":"string","format":"uri"}`, true, types("example.com"), "! Please enter a full URL, such as https://example.com/page."},
		{"uri with a default for a plain input", `{"type":"string","format":"uri","default":"urn:isbn:0451450523"}`, true, leave(), `{"x":"urn:isbn:0451450523"}`},
		{"date", `{"type":"string","format":"date"}`, true, picksDay("2026-12-01"), `{"x":"2026-12-01"}`},
		{"date default", `{"type":"string","format":"date","default":"2026-12-24"}`, false, leave(), `{"x":"2026-12-24"}`},
		{"date default that does not exist", `{"type":"string","format":"date","default":"2026-02-30"}`, false, leave(), `{}`},
		{"date default cleared", `{"type":"string","format":"date","default":"2026-12-24"}`, false, empty(), `{}`},
		{"date required", `{"type":"string","format":"date"}`, true, leave(), "! Please choose a date."},
		{"date-time", `{"type":"string","format":"date-time"}`, true, picksMoment(moment), `{"x":"2026-12-01T11:30:00+01:00"}`},
		{"date-time in summer", `{"type":"string","format":"date-time"}`, true, picksMoment(summer), `{"x":"2026-07-01T12:30:00+02:00"}`},
		{"date-time default", `{"type":"string","format":"date-time","default":"2026-11-05T14:30:00.250Z"}`, true, leave(), `{"x":"2026-11-05T15:30:00+01:00"}`},
		{"date-time that must be UTC", `{"type":"string","format":"date-time","pattern":"Z$"}`, true, picksMoment(moment), `{"x":"2026-12-01T10:30:00Z"}`},
		{"date-time default without offset", `{"type":"string","format":"date-time","default":"2026-11-05T14:30:00"}`, false, leave(), `{}`},
		{"date-time required", `{"type":"string","format":"date-time"}`, true, leave(), "! Please choose a date and a time."},
		{"another format", `{"type":"string","format":"ipv4"}`, true, types("192.0.2.300"), "! Please enter a valid ipv4, such as 192.0.2.1."},
		{"unknown format", `{"type":"string","format":"postcode"}`, true, types("12345"), `{"x":"12345"}`},
	}}
}

func numberRows() topic {
	return topic{"Numbers", "Digits are sent as they were typed, never through floating point. `+5`, `007`, `.5` and `-0` are 5, 7, 0.5 and 0; `3.0` and `1e3` are whole numbers.", []row{
		{"integer", `{"type":"integer","title":"Replicas"}`, true, types("3"), `{"x":3}`},
		{"integer of 20 digits", `{"type":"integer"}`, true, types("12345678901234567890"), `{"x":12345678901234567890}`},
		{"integer as 3.0", `{"type":"integer"}`, true, types("3.0"), `{"x":3}`},
		{"integer as 1e3", `{"type":"integer"}`, true, types("1e3"), `{"x":1000}`},
		{"integer with plus and zeros", `{"type":"integer"}`, true, types(" +007 "), `{"x":7}`},
		{"integer with a fraction", `{"type":"integer"}`, true, types("2.5"), "! Please enter a whole number, such as 12."},
		{"integer with letters", `{"type":"integer"}`, true, types("42xyz"), "! Please enter a whole number, such as 12."},
		{"integer in full width", `{"type":"integer"}`, true, types("０７"), "! Please enter a whole number, such as 12."},
		{"number", `{"type":"number"}`, true, types("0.1"), `{"x":0.1}`},
		{"number keeps its zeros", `{"type":"number"}`, true, types("0.10"), `{"x":0.10}`},
		{"number without a leading zero", `{"type":"number"}`, true, types(".5"), `{"x":0.5}`},
		{"minus zero", `{"type":"number"}`, true, types("-0"), `{"x":0}`},
		{"number that no double holds", `{"type":"number"}`, true, types("1e309"), "! Please enter a number, such as 12.5."},
		{"optional left blank", `{"type":"integer"}`, false, leave(), `{}`},
		{"required left blank", `{"type":"integer"}`, true, leave(), "! Please fill in this field."},
		{"zero bounds and default", `{"type":"integer","minimum":0,"maximum":0,"default":0}`, true, leave(), `{"x":0}`},
		{"default with a fraction", `{"type":"number","default":0.25}`, false, leave(), `{"x":0.25}`},
		{"default out of range", `{"type":"integer","maximum":5,"default":9}`, false, leave(), `{}`},
		{"default cleared", `{"type":"integer","default":9}`, false, empty(), `{}`},
		{"minimum broken", `{"type":"number","minimum":0.5}`, true, types("0.25"), "! Please enter a number of at least 0.5."},
		{"maximum broken", `{"type":"number","minimum":0,"maximum":1}`, true, types("1.5"), "! Please enter a number from 0 to 1."},
		{"exclusiveMinimum broken", `{"type":"number","exclusiveMinimum":0}`, true, types("0"), "! Please enter a number greater than 0."},
		{"exclusiveMaximum broken", `{"type":"integer","minimum":1,"exclusiveMaximum":10}`, true, types("10"), "! Please enter a number of at least 1 and less than 10."},
		{"multipleOf met exactly", `{"type":"number","multipleOf":0.1}`, true, types("0.3"), `{"x":0.3}`},
		{"multipleOf broken", `{"type":"integer","multipleOf":5}`, true, types("12"), "! Please enter a multiple of 5."},
	}}
}

func booleanRows() topic {
	return topic{"Yes or no", "With a default a boolean is one box, which always answers. Without one nobody has answered until they choose.", []row{
		{"required yes", `{"type":"boolean","title":"Go on?"}`, true, picks("Yes"), `{"x":true}`},
		{"required no", `{"type":"boolean"}`, true, picks("No"), `{"x":false}`},
		{"required left open", `{"type":"boolean"}`, true, leave(), "! Please choose one of the options."},
		{"optional left open", `{"type":"boolean"}`, false, leave(), `{}`},
		{"optional taken back", `{"type":"boolean"}`, false, picks("No answer"), `{}`},
		{"default true kept", `{"type":"boolean","default":true}`, true, leave(), `{"x":true}`},
		{"default true unticked", `{"type":"boolean","default":true}`, true, picks(), `{"x":false}`},
		{"default false kept", `{"type":"boolean","default":false}`, false, leave(), `{"x":false}`},
		{"default false ticked", `{"type":"boolean","default":false}`, false, picks("Yes"), `{"x":true}`},
		{"default of another type", `{"type":"boolean","default":"true"}`, false, leave(), `{}`},
		{"with a description", `{"type":"boolean","title":"Page","description":"` + strings.Repeat("It rings. ", 3) + `"}`, true, picks("Yes"), `{"x":true}`},
	}}
}
