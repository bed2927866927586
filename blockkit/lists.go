package blockkit

import "github.com/slackbridge/slackbridge/elicit"

// ServersList says how each configured server is doing.
func ServersList(servers []elicit.ServerState) Message {
	if len(servers) == 0 {
		return Note(Text(wordNoServers))
	}
	w := Words{Text(wordServers)}
	for _, s := range servers {
		w = append(w, wordServer(s))
	}
	return Note(w)
}

// Help explains the slash command, with an example of a server that exists.
func Help(servers []string) Message {
	w := Words{Text(wordHelp)}
	for _, line := range helpLines {
		w = append(w, Text("\n• "), Code(line.command), Text(" – "+line.means))
	}
	if len(servers) == 0 {
		return Note(w, Text("\n"+wordNoServers))
	}
	w = append(w, Text("\nServers: "))
	return Note(append(w, codeList(servers)...)...)
}
