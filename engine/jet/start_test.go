package jet_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/jet"
)

// BenchmarkStart is the time until an engine that is alone has stored its first record.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		e, err := jet.Open(b.Context(), jet.Config{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		log, err := e.Log(b.Context(), "log", engine.LogConfig{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := log.Append(b.Context(), engine.Any, engine.Record{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkStartBare is the same with a bare nats-server and one stream.
func BenchmarkStartBare(b *testing.B) {
	for b.Loop() {
		s, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true, NoLog: true, JetStream: true, StoreDir: b.TempDir(), SyncAlways: true})
		if err != nil {
			b.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(patience) {
			b.Fatal("the server does not start")
		}
		conn, err := nats.Connect("", nats.InProcessServer(s))
		if err != nil {
			b.Fatal(err)
		}
		js, err := jetstream.New(conn)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := js.CreateStream(b.Context(), jetstream.StreamConfig{Name: "log", Subjects: []string{"log"}}); err != nil {
			b.Fatal(err)
		}
		if _, err := js.Publish(b.Context(), "log", nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		conn.Close()
		s.Shutdown()
		s.WaitForShutdown()
		b.StartTimer()
	}
}
