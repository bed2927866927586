package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// demoStart measures how long the demo takes from its start to the first
// message of the bot: somebody types a command as soon as the page stands.
func demoStart(ctx context.Context, b *bench) error {
	var page, message samples
	for i := range b.o.sizes.starts {
		b.say("demo: start %d", i+1)
		up, posted, err := b.startDemo(ctx, filepath.Join(b.dir, fmt.Sprintf("demo%d.log", i)))
		if err != nil {
			return err
		}
		page, message = append(page, up), append(message, posted)
	}
	m := message.quantile(0.5)
	b.hold("start of the `demo` binary to the first message posted", "1 s",
		fmt.Sprintf("%s; page after %s; slowest %s (medians, n = %d)", short(m), short(page.quantile(0.5)), short(message.quantile(1)), len(message)), m.Seconds())
	return nil
}

func (b *bench) startDemo(ctx context.Context, log string) (up, posted time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	cmd := exec.Command(b.bin, "demo", "--no-browser")
	out, in := io.Pipe()
	cmd.Stdout = in
	began := time.Now()
	c, err := start(cmd, log)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = out.Close() // the rest of what it says
		c.kill()
	}()
	address, err := addressIn(out)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, c.lastWords())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the pipe
	up = time.Since(began)
	client := &http.Client{}
	defer client.CloseIdleConnections()
	typed := `{"user":"U_ANN","channel":"C_DEPLOYS","text":"/mcp deploy.deploy_service service=payments version=2.3.1"}`
	if _, err := fetch(ctx, client, http.MethodPost, address+"api/type", typed); err != nil {
		return 0, 0, err
	}
	for {
		raw, err := fetch(ctx, client, http.MethodGet, address+"api/state?user=U_ANN&channel=C_DEPLOYS", "")
		if err != nil {
			return 0, 0, err
		}
		var state struct {
			Messages []struct {
				Text      string `json:"text"`
				Ephemeral bool   `json:"ephemeral"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			return 0, 0, err
		}
		for _, m := range state.Messages {
			if !m.Ephemeral && strings.Contains(m.Text, "deploy_service") {
				return up, time.Since(began), nil
			}
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			return 0, 0, err
		}
	}
}

// addressIn finds the address of the page in what the demo says.
func addressIn(r io.Reader) (string, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		for _, word := range strings.Fields(lines.Text()) {
			if strings.HasPrefix(word, "http://") {
				return word, nil
			}
		}
	}
	return "", errors.Join(errors.New("the demo named no address"), lines.Err())
}

func fetch(ctx context.Context, client *http.Client, method, url, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, url, resp.Status, out)
	}
	return out, err
}
