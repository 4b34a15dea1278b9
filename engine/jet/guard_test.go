package jet_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/jet"
)

func TestLostStreamIsAmnesia(t *testing.T) {
	c := jet.Config{Servers: []string{external(t, nil)}}
	e := open(t, c)
	table, err := e.Table(t.Context(), "members")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := table.Put(t.Context(), "a", []byte("x"), engine.Any, 0); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := nats.Connect(c.Servers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "KV_troupe-members"); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, c).Table(t.Context(), "members"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := table.Put(t.Context(), "a", []byte("x"), engine.Any, 0); !errors.Is(err, engine.ErrAmnesia) {
			t.Errorf("Put to a table that has lost its entries: %v", err)
		}
	}
}

func TestStreamsOfOthersAreRefused(t *testing.T) {
	c := jet.Config{Servers: []string{external(t, nil)}}
	conn, err := nats.Connect(c.Servers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "troupe-members"}); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, c).Table(t.Context(), "members"); !errors.Is(err, engine.ErrExists) {
		t.Errorf("Table of a bucket that another program has made: %v", err)
	}
}
