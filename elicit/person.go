package elicit

// Person is what Slack says of a user, as far as it matters to who may decide.
type Person struct {
	User
	Bot         bool
	Guest       bool // a single-channel or multi-channel guest
	Deactivated bool
	Stranger    bool // of another workspace, met through Slack Connect
}

// ChannelInfo is what Slack says of a conversation.
type ChannelInfo struct {
	ID      string
	Private bool
	DM      bool
}
