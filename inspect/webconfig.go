package inspect

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// WebConfig configures the live page; see [Inspector.Handler]. The zero value
// serves a page to look at, on loopback.
type WebConfig struct {
	// Name is the title of the page. Defaults to the name of the program.
	Name string
	// Token is what each request must carry: in a header "Authorization: Bearer
	// TOKEN", or in a browser by the page's form or by "?token=TOKEN" once. Defaults
	// to none, and then only connections to a loopback address, or to a Unix
	// socket, are served. At least 16 characters.
	Token string
	// Trusted says that the handler stands behind middleware of the caller's that
	// decides who may look, and act: requests are served from everywhere, whatever
	// their Host is. Defaults to false.
	Trusted bool
	// Hosts are further names, without port, by which the page may be asked for.
	// Defaults to none: "localhost" and numeric addresses are always right, and
	// others are refused, as any web site can have its own name point here.
	Hosts []string
	// Actions says that actors can be stopped, killed, suspended and resumed. It
	// needs a Token, or Trusted. Each action is an event of the kind Acted. Defaults
	// to false.
	Actions bool
	// Who, if set, returns the name of the acting user for such events; your own
	// middleware may know it. The first 200 bytes of the name are kept. Defaults to the
	// address that the request came from.
	Who func(*http.Request) string
	// Facts says what else is known of an actor, as titles and texts, for its page: such as
	// the version of an event-sourced actor, by Journal.Facts of package journal. It is called for each
	// look at an actor, and must not wait. Defaults to nothing.
	Facts func(pid actor.PID) iter.Seq2[string, string]
	// Overview says what else is known of the program, as titles and texts, such as the
	// commits of a journal, by Journal.Overview of package journal. It must not wait. Defaults to
	// nothing.
	Overview func() iter.Seq2[string, string]
	// Every is how often an open page gets news at most. Defaults to 500 ms; at
	// least 50 ms. With very many actors there are fewer news, so that all pages
	// together cost 2 % of a processor.
	Every time.Duration
	// Streams is how many pages can be open at a time. Defaults to 16.
	Streams int
}

// minToken keeps tokens from being guessed.
const minToken = 16

func (c WebConfig) withDefaults() (WebConfig, error) {
	if c.Name == "" && len(os.Args) > 0 {
		c.Name = filepath.Base(os.Args[0])
	}
	if c.Every == 0 {
		c.Every = 500 * time.Millisecond
	}
	if c.Streams == 0 {
		c.Streams = 16
	}
	c.Hosts = slices.Clone(c.Hosts)
	for n, h := range c.Hosts {
		if c.Hosts[n] = strings.ToLower(strings.TrimSuffix(h, ".")); h == "" || strings.ContainsAny(h, "/:") {
			return c, fmt.Errorf("inspect: WebConfig.Hosts has %.80q; a host is a name without scheme and port", h)
		}
	}
	switch {
	case c.Token != "" && len(c.Token) < minToken:
		return c, fmt.Errorf("inspect: WebConfig.Token has %d characters; it must have %d, so that it can't be guessed", len(c.Token), minToken)
	case c.Actions && c.Token == "" && !c.Trusted:
		return c, errors.New("inspect: WebConfig.Actions needs a Token, or Trusted if your own middleware decides who may act")
	case c.Every < 50*time.Millisecond:
		return c, fmt.Errorf("inspect: WebConfig.Every is %v; it must be at least 50ms, or 0 for 500ms", c.Every)
	case c.Streams < 0:
		return c, fmt.Errorf("inspect: WebConfig.Streams is %d; it must be positive, or 0 for 16", c.Streams)
	}
	return c, nil
}
