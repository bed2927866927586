package main

import "encoding/json"

// sampleArguments are arguments with which a tool can be called: the required
// ones, by their type.
func sampleArguments(inputSchema json.RawMessage) json.RawMessage {
	var schema struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(inputSchema, &schema); err != nil {
		return json.RawMessage(`{}`) // no object; the server may say what it wants
	}
	out := map[string]any{}
	for _, name := range schema.Required {
		out[name] = sample(string(schema.Properties[name].Type))
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage(`{}`) // cannot be: all samples are plain values
	}
	return raw
}

func sample(typ string) any {
	switch typ {
	case `"number"`, `"integer"`:
		return 2
	case `"boolean"`:
		return true
	case `"object"`:
		return map[string]any{}
	case `"array"`:
		return []any{}
	default:
		return "text"
	}
}
