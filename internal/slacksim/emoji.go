package slacksim

import "strings"

// emojiNamed returns a common emoji; other names stay text, as unknown names
// do in Slack.
func emojiNamed(name string) (string, bool) {
	switch name {
	case "white_check_mark":
		return "✅", true
	case "heavy_check_mark":
		return "✔️", true
	case "x":
		return "❌", true
	case "warning":
		return "⚠️", true
	case "no_entry":
		return "⛔", true
	case "no_entry_sign":
		return "🚫", true
	case "rotating_light":
		return "🚨", true
	case "hourglass", "hourglass_flowing_sand":
		return "⏳", true
	case "clock1", "alarm_clock":
		return "⏰", true
	case "question", "grey_question":
		return "❓", true
	case "information_source":
		return "ℹ️", true
	case "lock":
		return "🔒", true
	case "link":
		return "🔗", true
	case "bell":
		return "🔔", true
	case "eyes":
		return "👀", true
	case "wave":
		return "👋", true
	case "+1", "thumbsup":
		return "👍", true
	case "-1", "thumbsdown":
		return "👎", true
	case "tada":
		return "🎉", true
	case "fire":
		return "🔥", true
	case "boom":
		return "💥", true
	case "rocket":
		return "🚀", true
	case "smile":
		return "😄", true
	case "skull":
		return "💀", true
	default:
		return "", false
	}
}

// emojiAt returns the emoji that text begins with and the length of its name
// with both colons; 0 when there is none.
func emojiAt(text string) (string, int) {
	if !strings.HasPrefix(text, ":") {
		return "", 0
	}
	end := strings.IndexByte(text[1:], ':')
	if end < 1 {
		return "", 0
	}
	char, ok := emojiNamed(text[1 : 1+end])
	if !ok {
		return "", 0
	}
	return char, end + 2
}

// emojiName reports whether name has the form of an emoji's name.
func emojiName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_+-':") == ""
}
