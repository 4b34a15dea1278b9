// Package top shows the actors of a running program in a terminal, by the API
// of its live page.
package top

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/inspect"
)

// ErrInput is returned for an address that makes no sense.
var ErrInput = errors.New("top: bad input")

// answerTime is for the program to answer.
const answerTime = 5 * time.Second

// maxAnswer bounds what is read of an answer: the largest page of actors is
// some MB.
const maxAnswer = 64 << 20

// Client asks a live page.
type Client struct {
	base, token string
	http        *http.Client
}

// NewClient returns a client for the page at the address, which is a host and
// port, a port alone as in ":8080", or a URL.
func NewClient(addr, token string) (*Client, error) {
	if !strings.Contains(addr, "://") {
		host, port, err := net.SplitHostPort(addr)
		if err != nil || port == "" {
			return nil, fmt.Errorf("%w: the address is %.80q; it must be HOST:PORT, or the URL of the page", ErrInput, addr)
		}
		if host == "" {
			host = "127.0.0.1"
		}
		addr = "http://" + net.JoinHostPort(host, port)
	}
	u, err := url.Parse(addr)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: the address is %.80q; it must be HOST:PORT, or the URL of the page", ErrInput, addr)
	}
	if u.Query().Has("token") && token == "" {
		token = u.Query().Get("token")
	}
	u.RawQuery, u.Fragment = "", ""
	return &Client{base: strings.TrimSuffix(u.String(), "/"), token: token, http: &http.Client{Timeout: answerTime}}, nil
}

// Close ends the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (c *Client) get(ctx context.Context, path string, query url.Values, to any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/api/"+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("top: nothing answers at %s: %w; is the program running, with its live page there?", c.base, errors.Unwrap(err))
	}
	defer resp.Body.Close() //nolint:errcheck // It is read.
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("top: read the answer of %s: %w", c.base, err)
	}
	if resp.StatusCode != http.StatusOK {
		return c.refused(resp.StatusCode, body)
	}
	if err := json.Unmarshal(body, to); err != nil {
		return fmt.Errorf("top: what answers at %s is not the live page of a troupe", c.base)
	}
	return nil
}

func (c *Client) refused(status int, body []byte) error {
	var why struct {
		Error string `json:"error"`
	}
	switch err := json.Unmarshal(body, &why); {
	case err != nil || why.Error == "":
		return fmt.Errorf("top: what answers at %s is not the live page of a troupe: status %d", c.base, status)
	case status == http.StatusUnauthorized && c.token == "":
		return fmt.Errorf("top: %s wants a token; give it by --token or TROUPE_TOKEN", c.base)
	case status == http.StatusUnauthorized:
		return fmt.Errorf("top: %s wants another token", c.base)
	}
	err := fmt.Errorf("top: %s: %s", c.base, why.Error)
	if status == http.StatusNotFound {
		err = fmt.Errorf("%w: %w", errNoPart, err)
	}
	return err
}

// errNoPart is what an older program says.
var errNoPart = errors.New("top: the program does not know that part of the page")

// Look is what is shown of a program.
type Look struct {
	Name     string            `json:"name"`
	Findings []inspect.Finding `json:"findings"`
	Sample   inspect.Sample    `json:"sample"`
	inspect.Page
}

// Look returns the actors that are asked for.
func (c *Client) Look(ctx context.Context, q inspect.Query) (l Look, err error) {
	var system struct {
		Troupe bool   `json:"troupe"`
		Name   string `json:"name"`
	}
	if err := c.get(ctx, "system", nil, &system); err != nil {
		return l, err
	}
	if !system.Troupe {
		return l, fmt.Errorf("top: what answers at %s is not the live page of a troupe", c.base)
	}
	l.Name = system.Name
	if l.Findings, err = c.Findings(ctx); err != nil {
		return l, err
	}
	if err := c.get(ctx, "sample", nil, &l.Sample); err != nil {
		return l, err
	}
	v := url.Values{"sort": {string(q.Sort)}, "limit": {strconv.Itoa(q.Limit)}}
	for name, value := range map[string]string{"name": q.Name, "cursor": q.Cursor} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return l, c.get(ctx, "actors", v, &l.Page)
}

// ActorLook is what is shown of one actor.
type ActorLook struct {
	inspect.Actor
	Around []Wait `json:"around"` // The waits that it is part of.
	Gone   bool   `json:"gone"`   // It has stopped; only its failures are known.
}

// Wait is a wait, and whether it is part of a ring.
type Wait struct {
	inspect.Wait
	InCycle bool `json:"in_cycle"`
}

// WaitsLook is the graph of waits.
type WaitsLook struct {
	Waits   []Wait `json:"waits"`
	Total   int    `json:"total"`
	InCycle int    `json:"in_cycle"`
}

// Actor returns one actor.
func (c *Client) Actor(ctx context.Context, pid string) (a ActorLook, err error) {
	return a, c.get(ctx, "actors/"+url.PathEscape(pid), nil, &a)
}

// Workers returns the workers.
func (c *Client) Workers(ctx context.Context) (w inspect.Workers, err error) {
	return w, c.get(ctx, "workers", nil, &w)
}

// Waits returns who waits for whom, those in a ring first.
func (c *Client) Waits(ctx context.Context) (w WaitsLook, err error) {
	return w, c.get(ctx, "waits", nil, &w)
}

// Events returns the last events, the oldest first.
func (c *Client) Events(ctx context.Context) (e []inspect.Event, err error) {
	return e, c.get(ctx, "events", nil, &e)
}

// Findings returns what is wrong, the worst first. A program of before there were findings has none.
func (c *Client) Findings(ctx context.Context) (f []inspect.Finding, err error) {
	if err = c.get(ctx, "findings", nil, &f); errors.Is(err, errNoPart) {
		return nil, nil
	}
	return f, err
}

// Tree returns the actors from the top down.
func (c *Client) Tree(ctx context.Context, limit int) (nodes []inspect.Node, err error) {
	var tree struct {
		Top []inspect.Node `json:"top"`
	}
	err = c.get(ctx, "tree", url.Values{"depth": {"10"}, "limit": {strconv.Itoa(limit)}}, &tree)
	return tree.Top, err
}
