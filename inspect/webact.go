package inspect

import (
	"fmt"
	"log/slog"
	"net/http"

	"github.com/troupe-go/troupe/actor"
)

// act answers a request to do something to an actor, and makes known who has made
// it. A request that is refused by the guard does nothing, and is no event: else
// any site could fill the log.
func (w *web) act(name string, do func(actor.PID) error) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if status, err := w.guard.checkAction(r); err != nil {
			refuse(rw, status, err)
			return
		}
		w.json(func(r *http.Request) (any, error) {
			id, err := pidOf(r)
			if err != nil {
				return nil, err
			}
			info, _ := w.i.sys.Info(id) // Before it is gone.
			err = do(id)
			w.i.acted(name, id, info, w.who(r), err)
			return struct{}{}, err
		})(rw, r)
	}
}

// maxWho bounds a name.
const maxWho = 200

// who returns the name for the one who asks.
func (w *web) who(r *http.Request) (name string) {
	if w.cfg.Who == nil {
		return r.RemoteAddr
	}
	defer func() {
		if v := recover(); v != nil {
			name = r.RemoteAddr
		}
	}()
	name = w.cfg.Who(r)
	return name[:min(len(name), maxWho)]
}

// acted tells of something that was done to an actor, or was not for an error.
func (i *Inspector) acted(what string, id actor.PID, info actor.Info, who string, err error) {
	e := Event{
		Kind: Acted, Level: slog.LevelWarn, Text: fmt.Sprintf("%s%s: %s, by %s", info.Name, id, what, who),
		PID: id, Name: info.Name, ActorKind: info.Kind, By: who,
	}
	if err != nil {
		e.Error = err.Error()
		e.Text += ", in vain: " + e.Error
	}
	i.hub.tell(e)
}
