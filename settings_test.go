package troupe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/engine"
	enginememory "github.com/troupe-go/troupe/engine/memory"
	"github.com/troupe-go/troupe/entity"
	"github.com/troupe-go/troupe/health"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/router"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/stream"
	"github.com/troupe-go/troupe/supervise"
	"github.com/troupe-go/troupe/wire"
)

const settingsPage = "docs/reference/settings.md"

// setting is a row of the page.
type setting struct {
	name      string // Such as sched.Config.Workers.
	minusOne  string
	tests     []string
	takesEach bool // Each negative value is accepted.
}

var settingRow = regexp.MustCompile("(?m)^\\| `([a-z]+\\.\\w+\\.\\w+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$")

func readSettings(t *testing.T) (all []setting) {
	t.Helper()
	page, err := os.ReadFile(settingsPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range settingRow.FindAllStringSubmatch(string(page), -1) {
		all = append(all, setting{
			name: row[1], minusOne: row[3], tests: regexp.MustCompile(`Test\w+`).FindAllString(row[4], -1),
			takesEach: strings.HasPrefix(row[3], "taken as 0"),
		})
	}
	return all
}

func (s setting) refused() bool { return s.minusOne == "refused" }

// numberTypes are the types of settings, as they are written.
var numberTypes = map[string]bool{
	"int": true, "int64": true, "int32": true, "uint64": true, "uint32": true, "float64": true, "time.Duration": true,
}

// declaredSettings returns the fields of exported types in a folder that hold a number or a
// duration, if their type is a Config or their comment tells of a default.
func declaredSettings(fsys fs.FS, folder string) (names []string, err error) {
	files, err := fs.Glob(fsys, path.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(text, []byte("struct {")) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			t, ok := n.(*ast.TypeSpec)
			if !ok || !t.Name.IsExported() {
				return true
			}
			if s, ok := t.Type.(*ast.StructType); ok {
				names = append(names, settingFields(file.Name.Name+"."+t.Name.Name, s, text)...)
			}
			return false
		})
	}
	return names, nil
}

func settingFields(of string, s *ast.StructType, text []byte) (names []string) {
	for _, f := range s.Fields.List {
		number := string(text[f.Type.Pos()-1 : f.Type.End()-1])
		if array, ok := f.Type.(*ast.ArrayType); ok && array.Len != nil {
			number = string(text[array.Elt.Pos()-1 : array.Elt.End()-1])
		}
		comment := strings.ToLower(f.Doc.Text() + f.Comment.Text())
		if !numberTypes[number] || !strings.HasSuffix(of, "Config") && !strings.Contains(comment, "default") {
			continue
		}
		for _, n := range f.Names {
			if n.IsExported() {
				names = append(names, of+"."+n.Name)
			}
		}
	}
	return names
}

func TestEachSettingHasARow(t *testing.T) {
	folders, err := publicPackages(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, s := range readSettings(t) {
		rows[s.name]++
	}
	for _, folder := range folders {
		names, err := declaredSettings(os.DirFS("."), folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if rows[name] != 1 {
				t.Errorf("%s has %d rows in %s; say there what 0 and -1 mean", name, rows[name], settingsPage)
			}
			delete(rows, name)
		}
	}
	for name := range rows {
		t.Errorf("%s has a row in %s, and is no setting", name, settingsPage)
	}
}

// Each -1 that is accepted names a test of what it does.
func TestSettingsAreShown(t *testing.T) {
	settings := readSettings(t)
	tests := map[string]bool{} // Whether they were found.
	for _, s := range settings {
		for _, name := range s.tests {
			tests[name] = false
		}
	}
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err == nil && e.IsDir() && p != "." && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case err != nil || e.IsDir() || !strings.HasSuffix(p, "_test.go"):
			return err
		}
		text, err := os.ReadFile(p)
		for name, found := range tests {
			tests[name] = found || bytes.Contains(text, []byte("\nfunc "+name+"("))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		if len(s.tests) == 0 && !s.refused() && s.minusOne != "does not exist: no sign" {
			t.Errorf("%s accepts -1, and its row names no test", s.name)
		}
		for _, name := range s.tests {
			if !tests[name] {
				t.Errorf("the row of %s names %s, which is not there", s.name, name)
			}
		}
	}
}

// trial is a configuration that works, and what uses it.
type trial struct {
	config any // A pointer to it.
	use    func() error
}

// with returns a trial of a configuration.
func with[C any](config C, use func(C) error) trial {
	c := &config
	return trial{c, func() error { return use(*c) }}
}

// trials returns a trial for each type that has settings. Names are as in the page.
func trials(t *testing.T) map[string]func() trial {
	ctx := patience.Context(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sys.Stop(ctx) })
	look, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(look.Close)
	newActor := func() actor.Actor[int] { return actor.Func(func(*actor.Context[int], int) error { return nil }) }
	supervised := func(cfg supervise.Config) error {
		sup, err := supervise.Start(sys, cfg)
		return errors.Join(err, stopped(ctx, sup))
	}
	child := supervise.Child[int]{Name: "child", New: newActor}
	newTopic := func() (*stream.Live[string], actor.Ref[string]) {
		topic, err := stream.NewLive[string](sys, stream.LiveConfig{})
		if err != nil {
			t.Fatal(err)
		}
		taker, err := actor.Spawn(sys, actor.Func(func(*actor.Context[string], string) error { return nil }))
		if err != nil {
			t.Fatal(err)
		}
		return topic, taker
	}
	newConn := func(*netio.Conn[string]) actor.Actor[string] {
		return actor.Func(func(*actor.Context[string], string) error { return nil })
	}
	listens := func(cfg netio.ListenerConfig[string, string]) error {
		_, err := netio.NewListener(cfg)
		return err
	}
	elastic := func(cfg router.ElasticConfig[int]) error {
		e, err := router.NewElastic(sys, cfg)
		if err != nil {
			return err
		}
		return e.Stop(ctx)
	}
	topic := func(c stream.Config[int]) (*stream.Topic[int], error) {
		return stream.Open(ctx, enginememory.NewStore().Engine("a", nil), "topic", c)
	}
	consumes := func(c stream.Consumer[int, int]) error {
		numbers, err := topic(stream.Config[int]{})
		if err != nil {
			return err
		}
		ref, err := actor.Spawn(sys, newActor())
		if err != nil {
			return err
		}
		c.Name, c.To, c.Wrap = "consumer", ref, func(d stream.Delivery[int]) int { return d.Value }
		s, err := stream.Consume(ctx, numbers, c)
		if err != nil {
			return err
		}
		return s.Stop(ctx)
	}
	return map[string]func() trial{
		"stream.Config": func() trial {
			return with(stream.Config[int]{}, func(c stream.Config[int]) error {
				_, err := topic(c)
				return err
			})
		},
		"stream.Consumer": func() trial { return with(stream.Consumer[int, int]{}, consumes) },
		"stream.Backoff": func() trial {
			return with(stream.Backoff{}, func(b stream.Backoff) error { return consumes(stream.Consumer[int, int]{Retry: b}) })
		},
		"sched.Config": func() trial {
			return with(sched.Config{}, func(c sched.Config) error {
				s, err := sched.New(c)
				if err != nil {
					return err
				}
				return s.Stop(ctx)
			})
		},
		"engine.LogConfig": func() trial {
			return with(engine.LogConfig{}, func(c engine.LogConfig) error {
				_, err := enginememory.NewStore().Engine("a", nil).Log(ctx, "log", c)
				return err
			})
		},
		"engine.GroupConfig": func() trial {
			return with(engine.GroupConfig{}, func(c engine.GroupConfig) error {
				log, err := enginememory.NewStore().Engine("a", nil).Log(ctx, "log", engine.LogConfig{})
				if err != nil {
					return err
				}
				_, err = log.Group(ctx, "group", c)
				return err
			})
		},
		"cluster.Config": func() trial {
			return with(cluster.Config{Name: "a"}, func(c cluster.Config) error {
				network, err := enginememory.NewNetwork()
				if err != nil {
					return err
				}
				defer func() { _ = network.Close() }()
				sys, err := actor.NewSystem(actor.Config{Workers: 1})
				if err != nil {
					return err
				}
				node, err := cluster.Join(ctx, sys, enginememory.NewStore().Engine("a", network.Bus("a")), c)
				if err != nil {
					return errors.Join(err, sys.Stop(ctx))
				}
				return errors.Join(node.Leave(ctx), sys.Stop(ctx))
			})
		},
		"sched.RecorderConfig": func() trial {
			return with(sched.RecorderConfig{}, func(c sched.RecorderConfig) error {
				r, err := sys.Scheduler().Record(c)
				if err != nil {
					return err
				}
				r.Close()
				return nil
			})
		},
		"actor.Config": func() trial {
			return with(actor.Config{}, func(c actor.Config) error {
				s, err := actor.NewSystem(c)
				if err != nil {
					return err
				}
				return s.Stop(ctx)
			})
		},
		"actor.MailboxLimit": func() trial {
			return with(actor.MailboxLimit{Items: 1, Bytes: 100}, func(l actor.MailboxLimit) error {
				ref, err := actor.Spawn(sys, newActor(), actor.WithMailboxLimit(l))
				if err != nil {
					return err
				}
				return ref.Stop(ctx)
			})
		},
		"actor.Probe": func() trial {
			return with(actor.Probe{}, func(p actor.Probe) error {
				stop, err := sys.Observe(&p)
				if err == nil {
					stop()
				}
				return err
			})
		},
		"supervise.Config": func() trial { return with(supervise.Config{Children: []supervise.Spec{child}}, supervised) },
		"supervise.Backoff": func() trial {
			return with(supervise.Backoff{}, func(b supervise.Backoff) error { return supervised(supervise.Config{Backoff: b}) })
		},
		"supervise.Child": func() trial {
			return with(child, func(c supervise.Child[int]) error { return supervised(supervise.Config{Children: []supervise.Spec{c}}) })
		},
		"supervise.Nested": func() trial {
			return with(supervise.Nested{Config: supervise.Config{Name: "nested"}}, func(n supervise.Nested) error {
				return supervised(supervise.Config{Children: []supervise.Spec{n}})
			})
		},
		"router.Config": func() trial {
			return with(router.Config[int]{Strategy: router.BoundedHash, Key: router.By(func(m int) (int, bool) { return m, true })}, func(c router.Config[int]) error {
				r, err := router.New(sys, c)
				if err != nil {
					return err
				}
				return r.Stop(ctx)
			})
		},
		"router.ElasticConfig": func() trial { return with(router.ElasticConfig[int]{New: newActor}, elastic) },
		"router.PoolConfig": func() trial {
			return with(router.PoolConfig[int, int]{Do: func(context.Context, int) (int, error) { return 0, nil }}, func(c router.PoolConfig[int, int]) error {
				p, err := router.NewPool(sys, c)
				if err != nil {
					return err
				}
				return p.Stop(ctx)
			})
		},
		"stream.Subscriber": func() trial {
			topic, taker := newTopic()
			return with(stream.Subscriber[string, string]{To: taker}, func(s stream.Subscriber[string, string]) error {
				_, err := stream.Subscribe(ctx, topic, s)
				return err
			})
		},
		"stream.Reader": func() trial {
			topic, _ := newTopic()
			return with(stream.Reader[string]{}, func(r stream.Reader[string]) error {
				for _, err := range topic.AllBy(patience.Ended(), r) {
					if !errors.Is(err, context.Canceled) { // That is how a loop ends that was let in.
						return err
					}
				}
				return nil
			})
		},
		"stream.PipeConfig": func() trial {
			topic, _ := newTopic()
			return with(stream.PipeConfig[string, string]{Codec: netio.Lines{}, Out: topic}, func(cfg stream.PipeConfig[string, string]) error {
				near, far := strand.Pipe()
				defer func() { _ = far.Close() }()
				p, err := stream.Pipe(ctx, sys, near, cfg)
				if err != nil {
					return errors.Join(err, near.Close())
				}
				return p.Close()
			})
		},
		"netio.ListenerConfig": func() trial {
			return with(netio.ListenerConfig[string, string]{Codec: netio.Lines{}, New: newConn}, listens)
		},
		"netio.Timeouts": func() trial {
			return with(netio.Timeouts{}, func(o netio.Timeouts) error {
				return listens(netio.ListenerConfig[string, string]{Codec: netio.Lines{}, New: newConn, Timeouts: o})
			})
		},
		"netio.Lines": func() trial {
			return with(netio.Lines{}, func(l netio.Lines) error {
				return listens(netio.ListenerConfig[string, string]{Codec: l, New: newConn})
			})
		},
		"netio.Frames": func() trial {
			return with(netio.Frames{}, func(f netio.Frames) error {
				_, err := netio.NewListener(netio.ListenerConfig[[]byte, []byte]{Codec: f, New: func(*netio.Conn[[]byte]) actor.Actor[[]byte] { return nil }})
				return err
			})
		},
		"netio.JSON": func() trial {
			return with(netio.JSON[int, int]{}, func(j netio.JSON[int, int]) error {
				_, err := netio.NewListener(netio.ListenerConfig[int, int]{Codec: j, New: func(*netio.Conn[int]) actor.Actor[int] { return nil }})
				return err
			})
		},
		"netio.AttachConfig": func() trial {
			return with(netio.AttachConfig[string, string]{Codec: netio.Lines{}, Ended: func(error) string { return "" }}, func(c netio.AttachConfig[string, string]) error {
				ref, err := actor.Spawn(sys, newConn(nil))
				if err != nil {
					return err
				}
				here, there := net.Pipe()
				defer there.Close() //nolint:errcheck // A pipe has no errors.
				conn, err := netio.AttachStream(ctx, sys, ref, io.ReadWriteCloser(here), c)
				if err == nil {
					_ = conn.Close() // A pipe can't close one direction alone.
				}
				return errors.Join(err, ref.Stop(ctx))
			})
		},
		"memory.Faults": func() trial {
			return with(enginememory.Faults{}, func(f enginememory.Faults) error {
				n, err := enginememory.NewNetwork(f)
				if err == nil {
					err = n.Close()
				}
				return err
			})
		},
		"health.Config": func() trial {
			return with(health.Config{}, func(c health.Config) error {
				for _, h := range []http.Handler{health.Live(sys, c), health.Ready(sys, c)} {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
					if text := w.Body.String(); strings.Contains(text, "Config.") { // A slow machine may be late.
						return errors.New(text)
					}
				}
				return nil
			})
		},
		"inspect.Config": func() trial {
			return with(inspect.Config{}, func(c inspect.Config) error {
				i, err := inspect.New(sys, c)
				if err == nil {
					i.Close()
				}
				return err
			})
		},
		"inspect.NameQuery": func() trial {
			return with(inspect.NameQuery{}, func(q inspect.NameQuery) error { _, err := look.NamePage(q); return err })
		},
		"inspect.Query": func() trial {
			return with(inspect.Query{}, func(q inspect.Query) error { _, err := look.Actors(q); return err })
		},
		"inspect.JobQuery": func() trial {
			return with(inspect.JobQuery{}, func(q inspect.JobQuery) error { _, err := look.Jobs(q); return err })
		},
		"inspect.TimerQuery": func() trial {
			return with(inspect.TimerQuery{}, func(q inspect.TimerQuery) error { _, err := look.Timers(q); return err })
		},
		"inspect.RecordConfig": func() trial {
			return with(inspect.RecordConfig{Dir: t.TempDir()}, func(c inspect.RecordConfig) error {
				r, err := look.Record(c)
				if err != nil {
					return err
				}
				r.Close()
				return nil
			})
		},
		"inspect.Subscription": func() trial {
			return with(inspect.Subscription{}, func(s inspect.Subscription) error { look.Subscribe(s).Close(); return nil })
		},
		"inspect.WebConfig": func() trial {
			return with(inspect.WebConfig{}, func(c inspect.WebConfig) error { _, err := look.Handler(c); return err })
		},
		"entity.Config": func() trial {
			c := entity.Config[int]{New: func(string) func() actor.Actor[int] { return nil }}
			return with(c, func(c entity.Config[int]) error { return startEntities(t, c) })
		},
		"journal.Config": func() trial {
			c := journal.Config[int, any]{
				Journal: journal.New(memory.New()), Events: journal.Events[any](journal.Event[int]("number")),
				Snapshots: journal.SnapshotOf[int]("sum", 1),
				New:       func(*journal.Self) journal.Behaviour[int, any] { return nil },
			}
			return with(c, func(c journal.Config[int, any]) error { _, err := journal.Actor(c); return err })
		},
		"journal.ProjectionConfig": func() trial {
			c := journal.ProjectionConfig[any]{
				Journal: journal.New(memory.New()), Events: journal.Events[any](journal.Event[int]("number")), Target: noTarget{},
			}
			return with(c, func(c journal.ProjectionConfig[any]) error { _, err := journal.NewProjection(c); return err })
		},
		"journal.OutboxConfig": func() trial {
			c := journal.OutboxConfig[any]{
				Name: "outbox", Journal: journal.New(memory.New()), Events: journal.Events[any](journal.Event[int]("number")),
				Deliver: func(context.Context, journal.Delivery[any]) error { return nil },
			}
			return with(c, func(c journal.OutboxConfig[any]) error { _, err := journal.NewOutbox(c); return err })
		},
		"journal.Retention": func() trial {
			return with(journal.Retention{}, func(r journal.Retention) error { r.Limit(nil); return nil })
		},
		"simtest.Config": func() trial {
			return with(simtest.Config{}, func(c simtest.Config) error {
				c.Schedules = min(c.Schedules, 2) // A negative number stays.
				if c.Schedules == 0 {
					c.Schedules = 2
				}
				f, err := simtest.Find(t, c, func(*simtest.Sim) {})
				if f != nil {
					return errors.New(f.String())
				}
				return err
			})
		},
		"wire.Limits": func() trial {
			return with(wire.Limits{}, func(l wire.Limits) error { return (&wire.Registry{Limits: l}).Check() })
		},
	}
}

func stopped(ctx context.Context, sup *supervise.Supervisor) error {
	if sup == nil {
		return nil
	}
	return sup.Stop(ctx)
}

// noTarget is the target of a projection that handles nothing.
type noTarget struct{}

func (noTarget) Position(context.Context) (journal.Position, error) { return 0, nil }

func (noTarget) Handle(context.Context, []journal.Envelope[any], journal.Position) error { return nil }

// set gives a field the value n, and returns how an error shows it.
func set(field reflect.Value, n int) (shown string) {
	if field.Kind() == reflect.Array {
		field = field.Index(1)
	}
	switch field.Kind() {
	case reflect.Float64:
		field.SetFloat(float64(n))
	case reflect.Uint64:
		field.SetUint(uint64(n))
	default:
		field.SetInt(int64(n))
	}
	return fmt.Sprint(field.Interface())
}

// TestSettings tries 0, -1 and -2 with each setting of the page.
func TestSettings(t *testing.T) {
	byType := trials(t)
	for _, s := range readSettings(t) {
		t.Run(s.name, func(t *testing.T) {
			part := strings.LastIndex(s.name, ".")
			of, name := s.name[:part], s.name[part+1:]
			begin := byType[of]
			if begin == nil {
				t.Fatalf("there is no trial for %s; add one to trials", of)
			}
			for _, n := range []int{0, -1, -2} {
				trial := begin()
				field := reflect.ValueOf(trial.config).Elem().FieldByName(name)
				if field.Kind() == reflect.Uint64 && n < 0 {
					continue // It has no negative values.
				}
				shown := set(field, n)
				err := trial.use()
				switch refused := n == -1 && s.refused() || n == -2 && !s.takesEach; {
				case !refused && err != nil:
					t.Errorf("%d is to be accepted (%s): %v", n, s.minusOne, err)
				case refused && err == nil:
					t.Errorf("%d is to be refused, and is accepted", n)
				case refused && (!strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), shown)):
					t.Errorf("the error about %d does not name %s and %s: %v", n, name, shown, err)
				}
			}
		})
	}
}

func TestSettingWithoutARowIsFound(t *testing.T) {
	const source = `package p

type Config struct {
	A    int
	B, C time.Duration
	D    string
	e    int
}

type Stats struct{ A int }

type Limit struct {
	// A is a limit. Defaults to 3.
	A [4]int
	B int // Of no default's.
	C int // A count.
}

type hidden struct {
	A int // Defaults to 1.
}
`
	fsys := fstest.MapFS{"p/p.go": {Data: []byte(source)}, "p/p_test.go": {Data: []byte("package p\n\ntype TestConfig struct{ A int }\n")}}
	got, err := declaredSettings(fsys, "p")
	if want := []string{"p.Config.A", "p.Config.B", "p.Config.C", "p.Limit.A", "p.Limit.B"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the settings are %v, %v, want %v", got, err, want)
	}
}

// startEntities starts a host of a cluster of its own.
func startEntities(t *testing.T, c entity.Config[int]) error {
	t.Helper()
	ctx := patience.Context(t)
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		return err
	}
	network, err := enginememory.NewNetwork()
	if err != nil {
		return err
	}
	node, err := cluster.Join(ctx, sys, enginememory.NewStore().Engine("a", network.Bus("a")), cluster.Config{Name: "a"})
	if err != nil {
		return err
	}
	host, err := entity.Start(ctx, node, entity.Kinds(entity.Register("kind", c)))
	if host != nil {
		err = errors.Join(err, host.Stop(ctx))
	}
	return errors.Join(err, node.Leave(ctx), sys.Stop(ctx), network.Close())
}
