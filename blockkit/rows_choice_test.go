package blockkit_test

import (
	"fmt"
	"strings"
)

// titled is a list of n constants with titles.
func titled(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`{"const":"v%d","title":"Title %d"}`, i, i)
	}
	return "[" + strings.Join(out, ",") + "]"
}

func choiceRows() topic {
	return topic{"One of a list", "The value goes back as it stands in the schema, whatever its type. Titles that collide get their value in brackets. A searched menu finds an option by title and value in any script.", []row{
		{"enum of three", `{"type":"string","title":"Cluster","enum":["dev","stage","prod"]}`, true, picks("prod"), `{"x":"prod"}`},
		{"required left open", `{"type":"string","enum":["dev","prod"]}`, true, leave(), "! Please choose one of the options."},
		{"optional left open", `{"type":"string","enum":["dev","prod"]}`, false, leave(), `{}`},
		{"optional taken back", `{"type":"string","enum":["dev","prod"],"default":"dev"}`, false, picks("No answer"), `{}`},
		{"default kept", `{"type":"string","enum":["dev","prod"],"default":"prod"}`, true, leave(), `{"x":"prod"}`},
		{"default that is not offered", `{"type":"string","enum":["dev","prod"],"default":"qa"}`, false, leave(), `{}`},
		{"default as another writing of a number", `{"enum":[1,2.5],"default":2.50}`, false, leave(), `{"x":2.5}`},
		{"oneOf with titles", `{"type":"string","oneOf":[{"const":"#f00","title":"Red"},{"const":"#0f0","title":"Green"}],"default":"#0f0"}`, true, picks("Red"), `{"x":"#f00"}`},
		{"anyOf with titles", `{"anyOf":[{"const":1,"title":"One"},{"const":2,"title":"Two"}]}`, true, picks("Two"), `{"x":2}`},
		{"enumNames", `{"type":"string","enum":["#f00","#0f0"],"enumNames":["Red","Green"]}`, true, picks("Green"), `{"x":"#0f0"}`},
		{"enumNames of another length", `{"type":"string","enum":["#f00","#0f0"],"enumNames":["Red"]}`, true, picks("#f00"), `{"x":"#f00"}`},
		{"numbers", `{"type":"number","enum":[1,2.50,1e3]}`, true, picks("2.50"), `{"x":2.50}`},
		{"integers of 20 digits", `{"type":"integer","enum":[12345678901234567890,12345678901234567891]}`, true, picks("12345678901234567891"), `{"x":12345678901234567891}`},
		{"integers without a type", `{"enum":[10,20]}`, true, picks("20"), `{"x":20}`},
		{"true and false", `{"enum":[true,false]}`, true, picks("false"), `{"x":false}`},
		{"true and false with titles", `{"oneOf":[{"const":true,"title":"Ship it"},{"const":false,"title":"Hold"}]}`, true, picks("Hold"), `{"x":false}`},
		{"mixed types", `{"enum":["1",1,true]}`, true, picks("1 #1"), `{"x":"1"}`},
		{"a value twice", `{"enum":["a","b","a"]}`, true, picks("b"), `{"x":"b"}`},
		{"values that a pattern excludes", `{"type":"string","enum":["dev","prod","qa-1"],"pattern":"^[a-z]+$"}`, true, picks("prod"), `{"x":"prod"}`},
		{"odd values", `{"enum":["","<none>","R&D","*b* :x:"]}`, true, picks("<none>"), `{"x":"<none>"}`},
		{"the empty text", `{"enum":["","a"]}`, true, picks("(empty)"), `{"x":""}`},
		{"titles that collide", `{"oneOf":[{"const":"a","title":"Same"},{"const":"b","title":"Same"}]}`, true, picks("Same (b)"), `{"x":"b"}`},
		{"descriptions", `{"oneOf":[{"const":"a","title":"A","description":"first"},{"const":"b","title":"B","description":"second"}]}`, true, picks("B"), `{"x":"b"}`},
		{"a long title", `{"oneOf":[{"const":"a","title":"` + strings.Repeat("long ", 40) + `"},{"const":"b","title":"B"}]}`, true, picks("B"), `{"x":"b"}`},
		{"one", `{"oneOf":` + titled(1) + `}`, true, picks("Title 0"), `{"x":"v0"}`},
		{"five", `{"oneOf":` + titled(5) + `}`, true, picks("Title 4"), `{"x":"v4"}`},
		{"optional five", `{"oneOf":` + titled(5) + `}`, false, picks("No answer"), `{}`},
		{"six", `{"oneOf":` + titled(6) + `}`, true, picks("Title 5"), `{"x":"v5"}`},
		{"default in a menu", `{"oneOf":` + titled(6) + `,"default":"v5"}`, false, leave(), `{"x":"v5"}`},
		{"optional ninety-nine", `{"oneOf":` + titled(99) + `}`, false, picks("No answer"), `{}`},
		{"a hundred", `{"oneOf":` + titled(100) + `}`, true, picks("Title 99"), `{"x":"v99"}`},
		{"optional hundred", `{"oneOf":` + titled(100) + `}`, false, picks("No answer"), `{}`},
		{"a hundred and one", `{"oneOf":` + titled(101) + `}`, true, picks("Title 100"), `{"x":"v100"}`},
		{"default in a searched menu", `{"oneOf":` + titled(101) + `,"default":"v100"}`, true, leave(), `{"x":"v100"}`},
		{"a thousand", `{"oneOf":` + titled(1000) + `}`, true, picks("Title 999"), `{"x":"v999"}`},
		{"no answer of the server", `{"enum":["Yes","No answer"]}`, false, picks("No answer"), `{"x":"No answer"}`},
		{"no answer of the form beside it", `{"enum":["Yes","No answer"]}`, false, picks("Leave it open"), `{}`},
	}}
}

func choicesRows() topic {
	return topic{"Several of a list", "Values go back in the order of the schema. An optional list that is empty is left out, whether it was left so or emptied.", []row{
		{"enum", `{"type":"array","title":"Regions","items":{"type":"string","enum":["eu","us","ap"]}}`, true, picks("ap", "eu"), `{"x":["eu","ap"]}`},
		{"title and description", `{"type":"array","title":"Regions","description":"Where to","items":{"enum":["eu","us"]}}`, true, picks("us"), `{"x":["us"]}`},
		{"enumNames", `{"type":"array","items":{"enum":["eu","us"],"enumNames":["Europe","America"]}}`, true, picks("America"), `{"x":["us"]}`},
		{"oneOf with titles", `{"type":"array","items":{"oneOf":[{"const":1,"title":"One"},{"const":2,"title":"Two"}]}}`, true, picks("Two", "One"), `{"x":[1,2]}`},
		{"anyOf with titles", `{"type":"array","items":{"anyOf":[{"const":"r","title":"Read"},{"const":"w","title":"Write"}]},"default":["r"]}`, true, leave(), `{"x":["r"]}`},
		{"default kept", `{"type":"array","items":{"enum":["r","w"]},"default":["r"]}`, false, leave(), `{"x":["r"]}`},
		{"default in another order", `{"type":"array","items":{"enum":["r","w","x"]},"default":["x","r"]}`, true, leave(), `{"x":["r","x"]}`},
		{"default of too many", `{"type":"array","maxItems":1,"items":{"enum":["r","w"]},"default":["r","w"]}`, false, leave(), `{}`},
		{"default emptied", `{"type":"array","items":{"enum":["r","w"]},"default":["r"]}`, false, picks(), `{}`},
		{"required default emptied", `{"type":"array","items":{"enum":["r","w"]},"default":["r"]}`, true, picks(), `{"x":[]}`},
		{"optional left empty", `{"type":"array","minItems":2,"items":{"enum":["a","b","c"]}}`, false, leave(), `{}`},
		{"required without a minimum left empty", `{"type":"array","items":{"enum":["a","b"]}}`, true, leave(), `{"x":[]}`},
		{"required with a minimum left empty", `{"type":"array","minItems":1,"items":{"enum":["a","b"]}}`, true, leave(), "! Please choose at least 1."},
		{"minItems met", `{"type":"array","minItems":2,"items":{"enum":["a","b","c"]}}`, true, picks("c", "a"), `{"x":["a","c"]}`},
		{"minItems broken", `{"type":"array","minItems":2,"items":{"enum":["a","b","c"]}}`, false, picks("a"), "! Please choose at least 2."},
		{"maxItems met", `{"type":"array","maxItems":1,"items":{"enum":["a","b","c"]}}`, true, picks("b"), `{"x":["b"]}`},
		{"maxItems broken", `{"type":"array","maxItems":1,"items":{"enum":["a","b","c"]}}`, true, picks("a", "b"), "! Please choose at most 1."},
		{"uniqueItems", `{"type":"array","uniqueItems":true,"items":{"enum":["a","b"]}}`, true, picks("b", "a"), `{"x":["a","b"]}`},
		{"the same one twice", `{"type":"array","uniqueItems":true,"items":{"enum":["a","b"]}}`, true, picks("a", "a"), "! This choice is not among the options. Please choose again."},
		{"default of the wrong shape", `{"type":"array","items":{"enum":["read","write"]},"default":"read"}`, false, leave(), `{}`},
		{"numbers", `{"type":"array","items":{"type":"integer","enum":[3,1,2]}}`, true, picks("1", "3"), `{"x":[3,1]}`},
		{"one", `{"type":"array","items":{"enum":["a"]}}`, true, picks("a"), `{"x":["a"]}`},
		{"ten", `{"type":"array","items":{"anyOf":` + titled(10) + `}}`, true, picks("Title 9"), `{"x":["v9"]}`},
		{"eleven", `{"type":"array","items":{"anyOf":` + titled(11) + `}}`, true, picks("Title 10"), `{"x":["v10"]}`},
		{"a hundred", `{"type":"array","items":{"anyOf":` + titled(100) + `}}`, false, picks("Title 99", "Title 98"), `{"x":["v98","v99"]}`},
		{"a hundred and one", `{"type":"array","items":{"anyOf":` + titled(101) + `}}`, true, picks("Title 100", "Title 0"), `{"x":["v0","v100"]}`},
		{"a thousand", `{"type":"array","items":{"anyOf":` + titled(1000) + `},"default":["v999"]}`, true, leave(), `{"x":["v999"]}`},
	}}
}
