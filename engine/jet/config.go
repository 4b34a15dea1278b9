package jet

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"github.com/troupe-go/troupe/engine"
)

// Config says where the engine is. The zero value is an embedded server that is alone.
type Config struct {
	// Dir is the directory of the embedded server's files. Defaults to "troupe.d" in the
	// working directory. It is made if it does not exist. It must be empty, or one that
	// Open has used before.
	Dir string
	// Servers are the URLs of an external NATS with JetStream, such as
	// nats://nats.example.com:4222. Then there is no embedded server and no Dir. A URL must
	// have no password; set User and Password.
	Servers []string
	// User and Password are for Servers. Defaults to none.
	User, Password string
	// Credentials is the name of a file of NATS credentials for Servers. Defaults to none.
	Credentials string
	// TLS is for Servers. Defaults to none, but tls:// in a URL uses the system's roots.
	TLS *tls.Config
	// Replicas is how many of Servers keep each table and log: 1, 3 or 5. Defaults to 1.
	// Embedded servers have their own number: 1 alone, and the number of Core in a cluster.
	Replicas int
	// Cluster makes the embedded server one of several. Defaults to none: it is alone.
	Cluster Cluster
	// Name is the name of this node, of 1 to 32 letters, digits, '-' and '_'. Nodes of one
	// cluster have different names. Defaults to "alone" without a cluster. A cluster needs one.
	Name string
	// Window is how many bytes of frames of one class may be on their way to the server.
	// Defaults to 256 KiB. It is at least 64 KiB, and at most 64 MiB.
	Window int
	// Log receives what the server and its connections report. Defaults to slog.Default().
	Log *slog.Logger
}

// Cluster describes a cluster of embedded servers.
type Cluster struct {
	// Name is the name of the cluster, of 1 to 32 letters, digits, '-' and '_'.
	Name string
	// Core are the addresses of three or five nodes that keep the tables and logs, each as
	// host:port. All nodes are given the same list.
	Core []string
	// Listen is the address at which this node accepts others, as host:port. It is one of
	// Core if this is a core node. Another node may leave it empty, and then accepts
	// others on a free port of the loopback interface.
	Listen string
	// User and Password are what nodes of the cluster tell each other.
	User, Password string
	// TLS secures the connections between nodes. It needs a certificate, and roots for both sides.
	TLS *tls.Config
}

const (
	defaultDir    = "troupe.d"
	defaultWindow = 256 << 10
	maxWindow     = 64 << 20
)

// checked returns the configuration with its defaults, or an error that says what is wrong.
func (c Config) checked() (Config, error) {
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	if c.Window < engine.MaxFrame || c.Window > maxWindow {
		return c, invalid("Window %d; use %d to %d bytes", c.Window, engine.MaxFrame, maxWindow)
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if len(c.Servers) > 0 {
		return c.external()
	}
	if c.User != "" || c.Password != "" || c.Credentials != "" || c.TLS != nil || c.Replicas != 0 {
		return c, invalid("User, Password, Credentials, TLS or Replicas without Servers; set Servers, or Cluster.User and its neighbours")
	}
	if c.Dir == "" {
		c.Dir = defaultDir
	}
	c.Replicas = 1
	if c.Cluster.isZero() {
		if c.Name == "" {
			c.Name = "alone"
		}
		return c, engine.CheckName("node", c.Name)
	}
	c.Replicas = len(c.Cluster.Core)
	if err := engine.CheckName("node", c.Name); err != nil {
		return c, fmt.Errorf("jet: Config.Name of a node in a cluster: %w", err)
	}
	return c, c.Cluster.check()
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("jet: %w: "+format, append([]any{engine.ErrInvalid}, args...)...)
}

func (c Config) external() (Config, error) {
	if c.Dir != "" || !c.Cluster.isZero() {
		return c, invalid("Servers together with Dir or Cluster; an external NATS needs neither")
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.Replicas != 1 && c.Replicas != 3 && c.Replicas != 5 {
		return c, invalid("Replicas %d; use 1, 3 or 5", c.Replicas)
	}
	for i, text := range c.Servers {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return c, invalid("Servers[%d] is no URL; write nats://host:port", i) // Without the text, which may have a password.
		}
		if _, secret := u.User.Password(); secret {
			return c, invalid("Servers[%d], %s, has a password; set User and Password", i, u.Redacted())
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return c, invalid("Servers[%d] has the scheme %q; use nats or tls", i, u.Scheme)
		}
	}
	if c.Name == "" {
		c.Name = "node"
	}
	return c, engine.CheckName("node", c.Name)
}

func (c Cluster) isZero() bool {
	return c.Name == "" && len(c.Core) == 0 && c.Listen == "" && c.User == "" && c.Password == "" && c.TLS == nil
}

// isCore tells whether this node is one of Core.
func (c Cluster) isCore() bool {
	for _, a := range c.Core {
		if a == c.Listen {
			return true
		}
	}
	return false
}

func (c Cluster) check() error {
	if err := engine.CheckName("cluster", c.Name); err != nil {
		return fmt.Errorf("jet: Config.Cluster.Name: %w", err)
	}
	if len(c.Core) != 3 && len(c.Core) != 5 {
		return invalid("Cluster.Core has %d addresses; use 3 or 5", len(c.Core))
	}
	seen := map[string]bool{}
	for _, a := range c.Core {
		if err := checkAddress("Cluster.Core", a); err != nil {
			return err
		}
		if seen[a] {
			return invalid("Cluster.Core has %q twice", a)
		}
		seen[a] = true
	}
	if (c.User == "") != (c.Password == "") {
		return invalid("Cluster.User without Cluster.Password, or the other way round; set both")
	}
	for _, a := range append([]string{c.Listen}, c.Core...) {
		if a != "" && !loopback(a) && c.User == "" && c.TLS == nil {
			return invalid("%q is not a loopback address, and Cluster has no credentials; run `troupe cluster init`, and set Cluster.TLS, or Cluster.User and Password", a)
		}
	}
	if c.Listen == "" {
		return nil
	}
	return checkAddress("Cluster.Listen", c.Listen)
}

func checkAddress(field, a string) error {
	host, port, err := net.SplitHostPort(a)
	if err == nil && host == "" {
		err = errors.New("the host is missing")
	}
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || strings.HasPrefix(port, "-") || port == "0" {
		return invalid("%s has %q; write host:port", field, a)
	}
	return nil
}

// loopback tells whether the address is of this machine alone.
func loopback(a string) bool {
	host, _, err := net.SplitHostPort(a)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
