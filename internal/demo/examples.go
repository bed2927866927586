package demo

import "github.com/slackbridge/slackbridge/internal/slacksim/page"

// Examples are the commands that the demo page offers.
func Examples() []page.Example {
	return []page.Example{
		{Text: "/mcp deploy.deploy_service service=payments version=2.3.1", About: "a form: choice, text, yes or no"},
		{Text: "/mcp deploy.restart_service service=payments", About: "one tap, no form"},
		{Text: "/mcp deploy.scale_service service=search replicas=20", About: "a yes or no right on the card"},
		{Text: "/mcp deploy.choose_region", About: "one choice of three"},
		{Text: "/mcp deploy.report_incident", About: "a field of every type"},
		{Text: "/mcp deploy.review_hosts", About: "a form of several pages"},
		{Text: "/mcp deploy.deploy_service service=payments", About: "a missing argument is asked for"},
		{Text: "/mcp deploy.connect_account", About: "a page to open in the browser"},
		{Text: "/mcp deploy.broken_form", About: "a question that is refused"},
		{Text: "/mcp deploy.status", About: "a tool that asks nothing"},
		{Text: "/mcp help", About: "what else there is"},
	}
}
