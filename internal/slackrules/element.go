package slackrules

// place is the slot of a block that an element stands in.
type place uint8

const (
	inSection place = iota // accessory of a section
	inActions              // elements of actions
	inInput                // element of input
	inContextActions
	inCard // actions of a card
)

// elementKind says where an element may stand, what it has, and which rules
// join several of its members.
type elementKind struct {
	on    map[place]surface
	shape shape
	also  func(c *checker, ptr string, o object)
}

func (c *checker) element(ptr string, v any, where place) {
	typ, ok := c.typeOf(ptr, v)
	if !ok {
		return
	}
	k, known := elementOf(typ)
	if !known || k.on[where]&c.surface == 0 {
		c.misplaced(ptr, typ, where)
		return
	}
	o, ok := c.object(ptr, v, k.shape)
	if !ok {
		return
	}
	if k.also != nil {
		k.also(c, ptr, o)
	}
	if o["focus_on_load"] == true {
		if c.focused {
			c.report(ptr+"/focus_on_load", RuleUnique, "only one element may set `focus_on_load`")
		}
		c.focused = true
	}
}

// misplaced reports an element that cannot stand there. Slack has words of its
// own for a multi-select among actions, and points at the block.
func (c *checker) misplaced(ptr, typ string, where place) {
	if where == inActions && isMulti(typ) {
		c.report(blockPointer(ptr), RulePlacement, "unsupported element: multiselect")
		return
	}
	c.report(ptr+"/type", RulePlacement, "unsupported type: %s", typ)
}

// blockPointer cuts "/elements/<i>" off.
func blockPointer(ptr string) string {
	for range 2 {
		for i := len(ptr) - 1; i >= 0; i-- {
			if ptr[i] == '/' {
				ptr = ptr[:i]
				break
			}
		}
	}
	return ptr
}

func elementOf(typ string) (elementKind, bool) {
	if isSelect(typ) {
		return selectKind(typ), true
	}
	switch typ {
	case "image":
		return elementKind{on: map[place]surface{inSection: everywhere}, shape: imageShape(), also: oneImageSource}, true
	case "button", "workflow_button", "icon_button", "feedback_buttons":
		return buttonOf(typ), true
	case "overflow":
		return overflowKind(), true
	case "radio_buttons", "checkboxes":
		return choicesKind(typ), true
	case "datepicker", "timepicker", "datetimepicker":
		return pickerOf(typ), true
	default:
		return inputOf(typ)
	}
}

// anywhere is the placement of most interactive elements.
func anywhere() map[place]surface {
	return map[place]surface{inSection: everywhere, inActions: everywhere, inInput: everywhere}
}

// clickable elements carry no value of their own and are never an input.
func clickable() map[place]surface {
	return map[place]surface{inSection: everywhere, inActions: everywhere}
}

func actionID() property { return may("action_id", str(1, maxID)) }

func buttonOf(typ string) elementKind {
	switch typ {
	case "workflow_button":
		return elementKind{on: clickable(), shape: shape{
			actionID(), must("text", plain(75)), must("workflow", anyValue),
			may("style", buttonStyle), may("accessibility_label", str(1, 75)),
		}}
	case "icon_button":
		return elementKind{on: map[place]surface{inContextActions: onMessage}, shape: shape{
			actionID(), must("icon", oneOf("trash")), must("text", plain(75)), may("value", str(1, 2000)),
			may("confirm", confirm), may("accessibility_label", str(1, 75)), may("visible_to_user_ids", list(1, 100, str(1, maxID))),
		}}
	case "feedback_buttons":
		return elementKind{on: map[place]surface{inContextActions: onMessage}, shape: shape{
			actionID(), must("positive_button", feedbackButton), must("negative_button", feedbackButton),
		}}
	default:
		on := clickable()
		on[inCard] = onMessage | onHome
		return elementKind{on: on, shape: shape{
			actionID(), must("text", plain(75)), may("value", str(1, 2000)), may("url", str(1, maxURL)),
			may("style", buttonStyle), may("confirm", confirm), may("accessibility_label", str(1, 75)),
		}}
	}
}

func feedbackButton(c *checker, ptr string, v any) {
	shaped(shape{
		must("text", plain(75)), must("value", str(1, 2000)), may("accessibility_label", str(1, 75)),
	})(c, ptr, v)
}
