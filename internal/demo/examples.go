package demo

// Example is a command to try, with a word on what it shows.
type Example struct {
	Text  string
	About string
}

// Examples are the commands that the demo page offers.
func Examples() []Example {
	return []Example{
		{"/mcp deploy.deploy_service service=payments version=2.3.1", "a form: choice, text, yes or no"},
		{"/mcp deploy.restart_service service=payments", "one tap, no form"},
		{"/mcp deploy.scale_service service=search replicas=20", "a yes or no right on the card"},
		{"/mcp deploy.choose_region", "one choice of three"},
		{"/mcp deploy.report_incident", "a field of every type"},
		{"/mcp deploy.broken_form", "a question that is refused"},
		{"/mcp deploy.status", "a tool that asks nothing"},
		{"/mcp help", "what else there is"},
	}
}
