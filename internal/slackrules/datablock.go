package slackrules

// dataBlockOf returns tables and charts: messages and the Home tab only.
func dataBlockOf(typ string) (blockKind, bool) {
	on := onMessage | onHome
	switch typ {
	case "table":
		return blockKind{on: on, shape: shape{
			must("rows", list(1, 100, list(1, 20, cell))),
			may("column_settings", list(1, 20, anyValue)),
		}, also: func(c *checker, ptr string, o object) {
			if cellUnits(o["rows"]) > 10_000 {
				c.report(ptr+"/rows", RuleLength, "must be less than 10001 characters")
			}
		}}, true
	case "data_table":
		return blockKind{on: on, shape: shape{
			must("caption", str(1, maxText)),
			must("rows", list(2, 201, list(1, 20, cell))),
			may("page_size", integer(1, 200)),
			may("row_header_column_index", integer(0, 19)),
		}, also: dataTable}, true
	case "data_visualization":
		return blockKind{on: on, shape: shape{must("title", str(1, 50)), must("chart", chart)}}, true
	default:
		return blockKind{}, false
	}
}

// dataTable: the header row is plain, and all such tables of a message share
// one limit.
func dataTable(c *checker, ptr string, o object) {
	rows, _ := o["rows"].([]any)
	if len(rows) > 0 {
		header, _ := rows[0].([]any)
		for i, h := range header {
			if ho, ok := h.(object); ok && ho["type"] == "rich_text" {
				c.report(at(ptr+"/rows/0", i)+"/type", RulePlacement, "unsupported type: rich_text")
			}
		}
	}
	before := c.tables
	c.tables += cellUnits(o["rows"])
	if before <= 20_000 && c.tables > 20_000 {
		c.report(ptr+"/rows", RuleLength, "must be less than 20001 characters")
	}
}

func cell(c *checker, ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	switch typ {
	case "raw_text":
		c.object(ptr, v, shape{must("text", str(1, maxText))})
	case "raw_number":
		c.object(ptr, v, shape{must("value", number), may("text", str(1, maxText))})
	case "rich_text":
		c.object(ptr, v, richTextShape())
	default:
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
	}
}

// cellUnits counts the text in a table's cells, at whatever depth it stands.
func cellUnits(v any) int {
	n := 0
	switch v := v.(type) {
	case []any:
		for _, it := range v {
			n += cellUnits(it)
		}
	case object:
		for name, it := range v {
			if s, ok := it.(string); ok && name == "text" {
				n += units(s)
				continue
			}
			n += cellUnits(it)
		}
	}
	return n
}

// maxSeries is the smaller of the two published limits (6 and 12).
const maxSeries = 6

func chart(c *checker, ptr string, v any) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	point := shaped(shape{must("label", str(1, 20)), must("value", number)})
	switch typ {
	case "pie":
		c.object(ptr, v, shape{must("segments", list(1, maxSeries, point))})
	case "bar", "area", "line":
		c.object(ptr, v, shape{
			must("series", list(1, maxSeries, shaped(shape{must("name", str(1, 20)), must("data", list(1, 20, point))}))),
			must("axis_config", shaped(shape{
				must("categories", list(1, 20, str(1, 20))),
				may("x_label", str(1, 50)), may("y_label", str(1, 50)),
			})),
		})
	default:
		c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
	}
}
