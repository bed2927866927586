package blockkit_test

func toleratedRows() topic {
	return topic{"What real servers send", "Off the specification, and understood all the same.", []row{
		{"type or null", `{"type":["string","null"]}`, false, types("a"), `{"x":"a"}`},
		{"type or null left blank", `{"type":["string","null"]}`, false, leave(), `{}`},
		{"anyOf with null", `{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"default":null,"title":"Count"}`, false, leave(), `{}`},
		{"oneOf with null", `{"oneOf":[{"type":"boolean"},{"type":"null"}]}`, false, picks("No"), `{"x":false}`},
		{"enum with null", `{"enum":["a","b",null]}`, false, picks("a"), `{"x":"a"}`},
		{"list or null", `{"type":["array","null"],"items":{"enum":["a","b"]}}`, false, picks("b"), `{"x":["b"]}`},
		{"constants with null", `{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"},{"const":null,"title":"None"}]}`, false, picks("A"), `{"x":"a"}`},
		{"local reference", `{"type":"object","$defs":{"Prio":{"type":"string","enum":["low","mid","high"]}},"properties":{"prio":{"$ref":"#/$defs/Prio"}},"required":["prio"]}`, false, picks("high"), `{"prio":"high"}`},
		{"reference to a reference", `{"type":"object","$defs":{"A":{"$ref":"#/$defs/B~1C"},"B/C":{"type":"boolean"}},"properties":{"x":{"$ref":"#/$defs/A"}}}`, false, picks("Yes"), `{"x":true}`},
		{"reference in a list", `{"type":"object","$defs":{"Size":{"enum":["s","m"]}},"properties":{"x":{"type":"array","items":{"$ref":"#/$defs/Size"}}}}`, false, picks("m"), `{"x":["m"]}`},
		{"reference or null", `{"type":"object","$defs":{"Size":{"enum":["s","m"]}},"properties":{"x":{"anyOf":[{"$ref":"#/$defs/Size"},{"type":"null"}],"default":null}}}`, false, leave(), `{}`},
		{"reference with a title beside it", `{"type":"object","definitions":{"P":{"type":"integer","title":"P"}},"properties":{"p":{"$ref":"#/definitions/P","title":"Port"}}}`, false, types("80"), `{"p":80}`},
		{"allOf of one", `{"allOf":[{"type":"string","maxLength":3}],"default":"abc"}`, false, leave(), `{"x":"abc"}`},
		{"allOf of a reference", `{"type":"object","$defs":{"Size":{"enum":["s","m"]}},"properties":{"x":{"allOf":[{"$ref":"#/$defs/Size"}],"default":"m","title":"Size"}}}`, false, leave(), `{"x":"m"}`},
		{"notes at the root", `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Choice","description":"from a docstring","additionalProperties":false,"type":"object","properties":{"x":{"type":"string","examples":["a"]}},"required":["x"]}`, false, types("beta"), `{"x":"beta"}`},
		{"no properties", `{"type":"object","properties":{}}`, false, leave(), `{}`},
		{"properties missing", `{"type":"object"}`, false, leave(), `{}`},
		{"a name like a sentence", `{"type":"object","properties":{"Confirm the operation":{"type":"string","enum":["Yes","No"]}},"required":["Confirm the operation"]}`, false, picks("No"), `{"Confirm the operation":"No"}`},
		{"names that mean something to programs", `{"type":"object","properties":{"__proto__":{"type":"string"},"action_id":{"type":"string"},"":{"type":"string"},"名前":{"type":"string"}}}`, false, types("a"), `{"__proto__":"a"}`},
		{"a rule over two fields", `{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"dependentRequired":{"x":["y"]}}`, false, types("a"), "! The answers together are not what the server asks for: properties 'y' required, if 'x' exists"},
		{"open bounds of draft 4", `{"type":"integer","minimum":1,"exclusiveMinimum":true}`, true, types("1"), "! Please enter a number greater than 1."},
	}}
}

func constantRows() topic {
	return topic{"Only one value", "A `const` is shown and sent, and nobody is asked for it. A form of nothing else is accepted or declined.", []row{
		{"beside another field", `{"type":"object","properties":{"x":{"type":"string"},"kind":{"const":"rolling","title":"Kind"}}}`, false, types("a"), `{"x":"a","kind":"rolling"}`},
		{"text", `{"const":"rolling","title":"Kind"}`, true, leave(), `{"x":"rolling"}`},
		{"number", `{"type":"number","const":2.50}`, true, leave(), `{"x":2.50}`},
		{"yes", `{"type":"boolean","const":true}`, false, leave(), `{"x":true}`},
		{"with an enum", `{"type":"string","enum":["a","b"],"const":"b"}`, false, leave(), `{"x":"b"}`},
	}}
}
