package blockkit_test

import "strings"

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
		{"number with a title", `{"type":"number","title":"Ratio","description":"Share of the traffic"}`, true, types("-2.5"), `{"x":-2.5}`},
		{"number of many digits", `{"type":"number"}`, true, types("12345678901234567890.123456789"), `{"x":12345678901234567890.123456789}`},
		{"number as 3.0", `{"type":"number"}`, true, types("3.0"), `{"x":3.0}`},
		{"number as 1e3", `{"type":"number"}`, true, types("1e3"), `{"x":1e3}`},
		{"number with letters", `{"type":"number"}`, true, types("1.5x"), "! Please enter a number, such as 12.5."},
		{"number keeps its zeros", `{"type":"number"}`, true, types("0.10"), `{"x":0.10}`},
		{"number without a leading zero", `{"type":"number"}`, true, types(".5"), `{"x":0.5}`},
		{"minus zero", `{"type":"number"}`, true, types("-0"), `{"x":0}`},
		{"minus zero as an integer", `{"type":"integer"}`, true, types("-0"), `{"x":0}`},
		{"number that no double holds", `{"type":"number"}`, true, types("1e309"), "! Please enter a number, such as 12.5."},
		{"optional left blank", `{"type":"integer"}`, false, leave(), `{}`},
		{"required left blank", `{"type":"integer"}`, true, leave(), "! Please fill in this field."},
		{"zero bounds and default", `{"type":"integer","minimum":0,"maximum":0,"default":0}`, true, leave(), `{"x":0}`},
		{"default with a fraction", `{"type":"number","default":0.25}`, false, leave(), `{"x":0.25}`},
		{"integer default as 3.0", `{"type":"integer","default":3.0}`, false, leave(), `{"x":3}`},
		{"default with an exponent", `{"type":"number","default":1e3}`, false, leave(), `{"x":1000}`},
		{"default of another type", `{"type":"integer","default":"3"}`, false, leave(), `{}`},
		{"default out of range", `{"type":"integer","maximum":5,"default":9}`, false, leave(), `{}`},
		{"default cleared", `{"type":"integer","default":9}`, false, empty(), `{}`},
		{"minimum met", `{"type":"number","minimum":0.5}`, true, types("0.5"), `{"x":0.5}`},
		{"minimum broken", `{"type":"number","minimum":0.5}`, true, types("0.25"), "! Please enter a number of at least 0.5."},
		{"maximum met", `{"type":"number","minimum":0,"maximum":1}`, true, types("1.0"), `{"x":1.0}`},
		{"maximum broken", `{"type":"number","minimum":0,"maximum":1}`, true, types("1.5"), "! Please enter a number from 0 to 1."},
		{"exclusiveMinimum met", `{"type":"number","exclusiveMinimum":0}`, true, types("0.001"), `{"x":0.001}`},
		{"exclusiveMinimum broken", `{"type":"number","exclusiveMinimum":0}`, true, types("0"), "! Please enter a number greater than 0."},
		{"exclusiveMaximum met", `{"type":"integer","minimum":1,"exclusiveMaximum":10}`, true, types("9"), `{"x":9}`},
		{"exclusiveMaximum broken", `{"type":"integer","minimum":1,"exclusiveMaximum":10}`, true, types("10"), "! Please enter a number of at least 1 and less than 10."},
		{"multipleOf met exactly", `{"type":"number","multipleOf":0.1}`, true, types("0.3"), `{"x":0.3}`},
		{"multipleOf of a fraction broken", `{"type":"number","multipleOf":0.1}`, true, types("0.35"), "! Please enter a multiple of 0.1."},
		{"multipleOf broken", `{"type":"integer","multipleOf":5}`, true, types("12"), "! Please enter a multiple of 5."},
	}}
}

func booleanRows() topic {
	return topic{"Yes or no", "With a default a boolean is one box, which always answers. Without one nobody has answered until they choose.", []row{
		{"required yes", `{"type":"boolean","title":"Go on?"}`, true, picks("Yes"), `{"x":true}`},
		{"required no", `{"type":"boolean"}`, true, picks("No"), `{"x":false}`},
		{"required left open", `{"type":"boolean"}`, true, leave(), "! Please choose one of the options."},
		{"optional left open", `{"type":"boolean"}`, false, leave(), `{}`},
		{"optional no", `{"type":"boolean","title":"Go on?"}`, false, picks("No"), `{"x":false}`},
		{"optional taken back", `{"type":"boolean"}`, false, picks("No answer"), `{}`},
		{"default true kept", `{"type":"boolean","default":true}`, true, leave(), `{"x":true}`},
		{"default true unticked", `{"type":"boolean","default":true}`, true, picks(), `{"x":false}`},
		{"default false kept", `{"type":"boolean","default":false}`, false, leave(), `{"x":false}`},
		{"default false ticked", `{"type":"boolean","default":false}`, false, picks("Yes"), `{"x":true}`},
		{"default of another type", `{"type":"boolean","default":"true"}`, false, leave(), `{}`},
		{"with a description", `{"type":"boolean","title":"Page","description":"` + strings.Repeat("It rings. ", 3) + `"}`, true, picks("Yes"), `{"x":true}`},
	}}
}
