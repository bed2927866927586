package correlate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Timeouts of a connection. A click in Slack must be answered within 3 s, so
// a Redis that does not answer must be found out well before.
const (
	dialTimeout = time.Second
	ioTimeout   = 1500 * time.Millisecond
)

// clusterReload is how old a client's view of a cluster may get. go-redis does
// not look again when a node refuses connections, so that this, and not its
// minute, is how long a dead master is asked after another one was promoted
// (https://github.com/redis/go-redis/issues/3979).
const clusterReload = time.Second

// Connect makes a client for a Redis URL: redis:// or rediss:// with one
// address or several, separated by commas (a cluster), redis-cluster://h1,h2
// or redis-sentinel://h1,h2/MASTER. It does not dial. Errors never hold the
// password.
func Connect(address string) (redis.UniversalClient, error) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return nil, errors.New("it has no scheme; write redis://host:6379")
	}
	var sentinel, cluster bool
	single := "redis"
	switch scheme {
	case "redis", "rediss":
		single = scheme
	case "redis-cluster":
		cluster = true
	case "redis-sentinel":
		sentinel = true
	default:
		return nil, fmt.Errorf("its scheme is %q; write redis, rediss, redis-cluster or redis-sentinel", scheme)
	}
	login, hosts, path := splitAddress(rest)
	if hosts == "" {
		return nil, errors.New("it names no host")
	}
	list := strings.Split(hosts, ",")
	db := path
	if sentinel {
		db = ""
		if path == "" {
			return nil, errors.New("redis-sentinel:// needs the name of the master: redis-sentinel://host1,host2/mymaster")
		}
	}
	// go-redis reads one address; the others only differ in host and port.
	o, err := redis.ParseURL(single + "://" + login + list[0] + "/" + db)
	if err != nil {
		return nil, errors.New("it cannot be read: " + withoutLogin(err.Error(), login))
	}
	u := &redis.UniversalOptions{
		Addrs: []string{o.Addr}, Username: o.Username, Password: o.Password, DB: o.DB, TLSConfig: o.TLSConfig,
		DialTimeout: dialTimeout, ReadTimeout: ioTimeout, WriteTimeout: ioTimeout, ContextTimeoutEnabled: true,
		IsClusterMode: cluster,
	}
	for _, host := range list[1:] {
		u.Addrs = append(u.Addrs, withPort(host))
	}
	if sentinel {
		u.MasterName = path
	} else if cluster || len(u.Addrs) > 1 {
		c := u.Cluster()
		c.ClusterStateReloadInterval = clusterReload
		return redis.NewClusterClient(c), nil
	}
	return redis.NewUniversalClient(u), nil
}

// splitAddress takes [user:password@]hosts[/path][?query] apart.
func splitAddress(rest string) (login, hosts, path string) {
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		login, rest = rest[:i+1], rest[i+1:]
	}
	hosts, path, _ = strings.Cut(rest, "/")
	return login, hosts, path
}

func withPort(host string) string {
	if strings.Contains(host, ":") {
		return host
	}
	return host + ":6379"
}

func withoutLogin(text, login string) string {
	if login == "" {
		return text
	}
	text = strings.ReplaceAll(text, login, "")
	if plain, err := url.QueryUnescape(login); err == nil {
		text = strings.ReplaceAll(text, plain, "")
	}
	return text
}

// Embedded starts a Redis inside this process, in memory, on a real loopback
// connection. It serves one replica, and forgets everything when it stops.
func Embedded() (redis.UniversalClient, func(), error) {
	m := miniredis.NewMiniRedis()
	if err := m.Start(); err != nil {
		return nil, nil, fmt.Errorf("starting the embedded Redis: %w", err)
	}
	client := redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{m.Addr()}, ContextTimeoutEnabled: true})
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { // its keys expire only as somebody moves its time on
		defer close(ended)
		const step = time.Second
		tick := time.NewTicker(step)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.FastForward(step)
			case <-done:
				return
			}
		}
	}()
	stop := func() {
		close(done)
		<-ended
		_ = client.Close() // the server goes next
		m.Close()
	}
	return client, stop, nil
}

func init() { redis.SetLogger(quietly{}) }

// quietly keeps go-redis from writing to stderr past the log: what goes wrong
// comes back as errors, too.
type quietly struct{}

func (quietly) Printf(ctx context.Context, format string, v ...any) {
	slog.DebugContext(ctx, "go-redis: "+fmt.Sprintf(format, v...))
}
