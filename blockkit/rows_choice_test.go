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
		{"oneOf with titles", `{"type":"string","oneOf":[{"const":"#f00","title":"Red"},{"const":"#0f0","title":"Green"}],"default":"#0f0"}`, true, picks("Red"), `{"x":"#f00"}`},
		{"anyOf with titles", `{"anyOf":[{"const":1,"title":"One"},{"const":2,"title":"Two"}]}`, true, picks("Two"), `{"x":2}`},
		{"enumNames", `{"type":"string","enum":["#f00","#0f0"],"enumNames":["Red","Green"]}`, true, picks("Green"), `{"x":"#0f0"}`},
		{"enumNames of another length", `{"type":"string","enum":["#f00","#0f0"],"enumNames":["Red"]}`, true, picks("#f00"), `{"x":"#f00"}`},
		{"numbers", `{"type":"number","enum":[1,2.50,1e3]}`, true, picks("2.50"), `{"x":2.50}`},
		{"integers without a type", `{"enum":[10,20]}`, true, picks("20"), `{"x":20}`},
		{"true and false", `{"enum":[true,false]}`, true, picks("false"), `{"x":false}`},
		{"mixed types", `{"enum":["1",1,true]}`, true, picks("1 #1"), `{"x":"1"}`},
		{"odd values", `{"enum":["","<none>","R&D","*b* :x:"]}`, true, picks("<none>"), `{"x":"<none>"}`},
		{"the empty text", `{"enum":["","a"]}`, true, picks("(empty)"), `{"x":""}`},
		{"titles that collide", `{"oneOf":[{"const":"a","title":"Same"},{"const":"b","title":"Same"}]}`, true, picks("Same (b)"), `{"x":"b"}`},
		{"descriptions", `{"oneOf":[{"const":"a","title":"A","description":"first"},{"const":"b","title":"B","description":"second"}]}`, true, picks("B"), `{"x":"b"}`},
		{"a long title", `{"oneOf":[{"const":"a","title":"` + strings.Repeat("long ", 40) + `"},{"const":"b","title":"B"}]}`, true, picks("B"), `{"x":"b"}`},
		{"five", `{"oneOf":` + titled(5) + `}`, true, picks("Title 4"), `{"x":"v4"}`},
		{"six", `{"oneOf":` + titled(6) + `}`, true, picks("Title 5"), `{"x":"v5"}`},
		{"a hundred", `{"oneOf":` + titled(100) + `}`, true, picks("Title 99"), `{"x":"v99"}`},
		{"a hundred and one", `{"oneOf":` + titled(101) + `}`, true, picks("Title 100"), `{"x":"v100"}`},
		{"a thousand", `{"oneOf":` + titled(1000) + `}`, true, picks("Title 999"), `{"x":"v999"}`},
		{"a server's own no answer", `{"enum":["Yes","No answer"]}`, false, picks("No answer"), `{"x":"No answer"}`},
	}}
}

func choicesRows() topic {
	return topic{"Several of a list", "Values go back in the order of the schema. An optional list that is empty is left out, whether it was left so or emptied.", []row{
		{"enum", `{"type":"array","title":"Regions","items":{"type":"string","enum":["eu","us","ap"]}}`, true, picks("ap", "eu"), `{"x":["eu","ap"]}`},
		{"anyOf with titles", `{"type":"array","items":{"anyOf":[{"const":"r","title":"Read"},{"const":"w","title":"Write"}]},"default":["r"]}`, true, leave(), `{"x":["r"]}`},
		{"default emptied", `{"type":"array","items":{"enum":["r","w"]},"default":["r"]}`, false, picks(), `{}`},
		{"required default emptied", `{"type":"array","items":{"enum":["r","w"]},"default":["r"]}`, true, picks(), `{"x":[]}`},
		{"optional left empty", `{"type":"array","minItems":2,"items":{"enum":["a","b","c"]}}`, false, leave(), `{}`},
		{"required without a minimum left empty", `{"type":"array","items":{"enum":["a","b"]}}`, true, leave(), `{"x":[]}`},
		{"required with a minimum left empty", `{"type":"array","minItems":1,"items":{"enum":["a","b"]}}`, true, leave(), "! Please choose at least 1."},
		{"minItems broken", `{"type":"array","minItems":2,"items":{"enum":["a","b","c"]}}`, false, picks("a"), "! Please choose at least 2."},
		{"maxItems broken", `{"type":"array","maxItems":1,"items":{"enum":["a","b","c"]}}`, true, picks("a", "b"), "! Please choose at most 1."},
		{"uniqueItems", `{"type":"array","uniqueItems":true,"items":{"enum":["a","b"]}}`, true, picks("b", "a"), `{"x":["a","b"]}`},
		{"default of the wrong shape", `{"type":"array","items":{"enum":["read","write"]},"default":"read"}`, false, leave(), `{}`},
		{"numbers", `{"type":"array","items":{"type":"integer","enum":[3,1,2]}}`, true, picks("1", "3"), `{"x":[3,1]}`},
		{"ten", `{"type":"array","items":{"anyOf":` + titled(10) + `}}`, true, picks("Title 9"), `{"x":["v9"]}`},
		{"eleven", `{"type":"array","items":{"anyOf":` + titled(11) + `}}`, true, picks("Title 10"), `{"x":["v10"]}`},
		{"a hundred and one", `{"type":"array","items":{"anyOf":` + titled(101) + `}}`, true, picks("Title 100", "Title 0"), `{"x":["v0","v100"]}`},
	}}
}

func toleratedRows() topic {
	return topic{"What real servers send", "Off the specification, and understood all the same.", []row{
		{"type or null", `{"type":["string","null"]}`, false, types("a"), `{"x":"a"}`},
		{"anyOf with null", `{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"default":null,"title":"Count"}`, false, leave(), `{}`},
		{"oneOf with null", `{"oneOf":[{"type":"boolean"},{"type":"null"}]}`, false, picks("No"), `{"x":false}`},
		{"enum with null", `{"enum":["a","b",null]}`, false, picks("a"), `{"x":"a"}`},
		{"local reference", `{"type":"object","$defs":{"Prio":{"type":"string","enum":["low","mid","high"]}},"properties":{"prio":{"$ref":"#/$defs/Prio"}},"required":["prio"]}`, false, picks("high"), `{"prio":"high"}`},
		{"reference with a title beside it", `{"type":"object","definitions":{"P":{"type":"integer","title":"P"}},"properties":{"p":{"$ref":"#/definitions/P","title":"Port"}}}`, false, types("80"), `{"p":80}`},
		{"allOf of one", `{"allOf":[{"type":"string","maxLength":3}],"default":"abc"}`, false, leave(), `{"x":"abc"}`},
		{"const beside another field", `{"type":"object","properties":{"x":{"type":"string"},"kind":{"const":"rolling","title":"Kind"}}}`, false, types("a"), `{"x":"a","kind":"rolling"}`},
		{"notes at the root", `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Choice","description":"from a docstring","additionalProperties":false,"type":"object","properties":{"x":{"type":"string","examples":["a"]}},"required":["x"]}`, false, types("beta"), `{"x":"beta"}`},
		{"no properties", `{"type":"object","properties":{}}`, false, leave(), `{}`},
		{"a name like a sentence", `{"type":"object","properties":{"Confirm the operation":{"type":"string","enum":["Yes","No"]}},"required":["Confirm the operation"]}`, false, picks("No"), `{"Confirm the operation":"No"}`},
		{"names that mean something to programs", `{"type":"object","properties":{"__proto__":{"type":"string"},"action_id":{"type":"string"},"":{"type":"string"},"名前":{"type":"string"}}}`, false, types("a"), `{"__proto__":"a"}`},
		{"a rule over two fields", `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"dependentRequired":{"x":["y"]}}`, false, types("a"), "! The answers together are not what the server asks for: properties 'y' required, if 'x' exists"},
		{"open bounds of draft 4", `{"type":"integer","minimum":1,"exclusiveMinimum":true}`, true, types("1"), "! Please enter a number greater than 1."},
	}}
}

// refused are schemas that are not shown.
var refused = []string{
	object(`{"limits":{"type":"object","properties":{"cpu":{"type":"number"}}}}`),
	object(`{"tags":{"type":"array","items":{"type":"string"}}}`),
	object(`{"regions":{"type":"array","enum":["eu","us"]}}`),
	object(`{"x":{"$ref":"https://example.com/schema.json"}}`),
	object(`{"x":{"$ref":"#/$defs/Missing"}}`),
	object(`{"x":{"type":"file"}}`),
	object(`{"x":{}}`),
	object(`{"x":{"type":["string","integer"]}}`),
	object(`{"x":{"anyOf":[{"type":"string"},{"type":"integer"}]}}`),
	object(`{"x":{"allOf":[{"type":"string"},{"maxLength":3}]}}`),
	object(`{"x":{"type":"string","minLength":5,"maxLength":2}}`),
	object(`{"x":{"type":"string","minLength":"5"}}`),
	object(`{"x":{"type":"integer","minimum":5,"maximum":2}}`),
	object(`{"x":{"type":"integer","minimum":1,"maximum":5,"multipleOf":10}}`),
	object(`{"x":{"type":"string","enum":[]}}`),
	object(`{"x":{"type":"integer","enum":["a"]}}`),
	object(`{"x":{"type":"array","minItems":3,"items":{"enum":["a","b"]}}}`),
	object(`{"x":{"type":"string"}}`, "y"),
	`{"type":"array","items":{"type":"string"}}`,
	`{"type":"object","properties":{"x":{"type":"string"},"x":{"type":"integer"}}}`,
	object(`{"x":{"type":"string","minLength":4000}}`),
}
