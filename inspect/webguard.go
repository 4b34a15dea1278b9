package inspect

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard decides who may ask for what. From the outside in: the Host must be
// one of ours, or another site's script could talk to us under its own name
// (DNS rebinding); the connection must be local, or the request have the token;
// and what acts must in addition be a POST from a page of ours, which shows that
// by its origin and by a key that only our page can read.
type guard struct {
	cfg     WebConfig
	token   [sha256.Size]byte
	session string // The value of the cookie that a browser gets for the token.
	cookie  string // Its name: its own for each handler, as ports share cookies.
	key     string // Each action must carry it.
	cross   *http.CrossOriginProtection
}

func newGuard(cfg WebConfig) *guard {
	g := &guard{cfg: cfg, token: sha256.Sum256([]byte(cfg.Token)), cross: http.NewCrossOriginProtection()}
	secret := []byte(rand.Text())
	derive := func(what string) string {
		m := hmac.New(sha256.New, secret)
		m.Write([]byte(what))
		return hex.EncodeToString(m.Sum(nil))
	}
	g.session, g.key, g.cookie = derive("session"), derive("action"), "troupe-"+derive("cookie")[:12]
	return g
}

var (
	errHost = errors.New("this page is not asked for by this Host; use localhost or a numeric address, or name the host in " +
		"WebConfig.Hosts")
	errFar = errors.New("this page is served on loopback alone; for other addresses set WebConfig.Token, or WebConfig.Trusted " +
		"behind your own middleware")
	errToken  = errors.New("the token is missing or wrong; send it as: Authorization: Bearer TOKEN")
	errNoAct  = errors.New("actions are not enabled; see WebConfig.Actions")
	errCross  = errors.New("actions are taken by this page alone, not by other sites")
	errAction = errors.New("the header Troupe-Action must have the action_key of api/system")
)

// check returns the status and the error for a request that is refused, or 0.
func (g *guard) check(r *http.Request) (status int, err error) {
	switch {
	case !g.cfg.Trusted && !g.hostIsOurs(r.Host):
		return http.StatusMisdirectedRequest, errHost
	case g.cfg.Trusted && g.cfg.Token == "":
		return 0, nil
	case g.cfg.Token == "" && !isLocal(r):
		return http.StatusForbidden, errFar
	case g.cfg.Token != "" && !g.knowsToken(r):
		return http.StatusUnauthorized, errToken
	}
	return 0, nil
}

// checkAction is check's second half, for requests that change something.
func (g *guard) checkAction(r *http.Request) (status int, err error) {
	switch {
	case !g.cfg.Actions:
		return http.StatusForbidden, errNoAct
	case g.cross.Check(r) != nil:
		return http.StatusForbidden, errCross
	case !equal(r.Header.Get("Troupe-Action"), g.key):
		return http.StatusForbidden, errAction
	}
	return 0, nil
}

func (g *guard) hostIsOurs(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true // A name that points here is what an attacker has, not a number.
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(g.cfg.Hosts, host)
}

// isLocal says that both ends of the connection are on this machine.
func isLocal(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if at == nil {
		return false // An unknown kind of server.
	}
	if at.Network() == "unix" {
		return true
	}
	return isLoopback(at.String()) && isLoopback(r.RemoteAddr)
}

func isLoopback(hostport string) bool {
	a, err := netip.ParseAddrPort(hostport)
	return err == nil && a.Addr().Unmap().IsLoopback()
}

func (g *guard) knowsToken(r *http.Request) bool {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return g.isToken(strings.TrimSpace(token))
	}
	c, err := r.Cookie(g.cookie)
	return err == nil && equal(c.Value, g.session)
}

// isToken takes the same time whatever the two have in common.
func (g *guard) isToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// admit has the browser know the token from now on, without keeping it in its
// history.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}

// policy is the Content-Security-Policy: nothing from elsewhere, and no code but
// our own files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func secureHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
