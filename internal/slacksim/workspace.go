package slacksim

import "slices"

// Workspace is a Slack workspace with the app installed in it.
type Workspace struct {
	TeamID     string
	TeamName   string
	Domain     string
	AppID      string
	BotUserID  string // must be among Users
	BotID      string
	Command    string // the app's slash command, with its slash
	Users      []User
	Channels   []Channel
	Usergroups []Usergroup
}

// User is an account that is visible in the workspace.
type User struct {
	ID       string
	TeamID   string // another team's for a stranger of Slack Connect
	Name     string // handle
	RealName string // shown in mentions and as author
	TZ       string // IANA name
	Locale   string // e.g. "en-US"
	Bot      bool
	Guest    bool
	Deleted  bool // deactivated
}

// Channel is a conversation. The ids of direct messages begin with D.
type Channel struct {
	ID       string
	Name     string // without the hash; empty for a direct message
	Members  []string
	Private  bool
	Shared   bool // with another workspace
	Archived bool
	Direct   bool
	Group    bool // a direct message of more than two
}

// Usergroup is a group that can be mentioned.
type Usergroup struct {
	ID     string
	Handle string
	Users  []string
}

func (c Channel) has(user string) bool { return slices.Contains(c.Members, user) }

// DefaultWorkspace returns the workspace Acme: Ann is on call, Bob and Cara
// are colleagues, Ext belongs to another company and shares one channel.
func DefaultWorkspace() Workspace {
	const team, bot = "T_HOME", "U_BOT"
	return Workspace{
		TeamID: team, TeamName: "Acme", Domain: "acme",
		AppID: "A_SLACKBRIDGE", BotUserID: bot, BotID: "B_SLACKBRIDGE", Command: "/mcp",
		Users: []User{
			{ID: "U_ANN", TeamID: team, Name: "ann", RealName: "Ann", TZ: "Europe/Berlin", Locale: "en-US"},
			{ID: "U_BOB", TeamID: team, Name: "bob", RealName: "Bob", TZ: "America/New_York", Locale: "en-US"},
			{ID: "U_CARA", TeamID: team, Name: "cara", RealName: "Cara", TZ: "Asia/Shanghai", Locale: "zh-CN"},
			{ID: "U_EXT", TeamID: "T_OTHER", Name: "ext", RealName: "Ext", TZ: "Europe/London", Locale: "en-GB"},
			{ID: "U_GUEST", TeamID: team, Name: "gina", RealName: "Gina", TZ: "Europe/Berlin", Locale: "de-DE", Guest: true},
			{ID: "U_GONE", TeamID: team, Name: "gus", RealName: "Gus", TZ: "Europe/Berlin", Locale: "en-US", Deleted: true},
			{ID: bot, TeamID: team, Name: "slackbridge", RealName: "slackbridge", TZ: "UTC", Locale: "en-US", Bot: true},
		},
		Channels: []Channel{
			{ID: "C_DEPLOYS", Name: "deploys", Members: []string{"U_ANN", "U_BOB", "U_CARA", "U_GUEST", bot}},
			{ID: "C_RANDOM", Name: "random", Members: []string{"U_ANN", "U_BOB", "U_CARA", bot}},
			{ID: "C_NOBOT", Name: "no-bot", Members: []string{"U_ANN", "U_BOB"}},
			{ID: "C_SECRET", Name: "secret", Members: []string{"U_ANN", "U_BOB"}, Private: true},
			{ID: "C_SHARED", Name: "with-other", Members: []string{"U_ANN", "U_BOB", "U_EXT", bot}, Shared: true},
			{ID: "C_OLD", Name: "old", Members: []string{"U_ANN", "U_BOB", bot}, Archived: true},
		},
		Usergroups: []Usergroup{{ID: "S_SRE", Handle: "sre", Users: []string{"U_ANN", "U_BOB"}}},
	}
}

// clone copies w so that the caller's value never changes.
func (w Workspace) clone() Workspace {
	w.Users = slices.Clone(w.Users)
	w.Channels = slices.Clone(w.Channels)
	for i := range w.Channels {
		w.Channels[i].Members = slices.Clone(w.Channels[i].Members)
	}
	w.Usergroups = slices.Clone(w.Usergroups)
	for i := range w.Usergroups {
		w.Usergroups[i].Users = slices.Clone(w.Usergroups[i].Users)
	}
	return w
}
