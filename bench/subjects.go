package main

import (
	_ "github.com/troupe-go/troupe/bench/internal/registry" // Before the libraries.
	"github.com/troupe-go/troupe/bench/internal/subject/channels"
	"github.com/troupe-go/troupe/bench/internal/subject/external"
	"github.com/troupe-go/troupe/bench/internal/subject/goactor"
	"github.com/troupe-go/troupe/bench/internal/subject/goakt"
	"github.com/troupe-go/troupe/bench/internal/subject/hollywood"
	"github.com/troupe-go/troupe/bench/internal/subject/iterpull"
	"github.com/troupe-go/troupe/bench/internal/subject/pools"
	"github.com/troupe-go/troupe/bench/internal/subject/protoactor"
	"github.com/troupe-go/troupe/bench/internal/subject/troupe"
	"github.com/troupe-go/troupe/internal/bench/jobs"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// subjects are all of them, in the order of the tables.
var subjects = []*suite.Subject{
	&troupe.Subject,
	&troupe.Inspected,
	&troupe.Strands,
	&channels.Subject,
	&protoactor.Subject,
	&hollywood.Subject,
	&goakt.Subject,
	&goactor.Subject,
	&external.Libtroupe,
	&external.LibtroupeLight,
	&external.Erlang,
	&external.Tokio,
	&iterpull.Subject,
	&pools.Workers,
	&jobs.Goroutines,
	&jobs.Balanced,
	&pools.Ants,
	&pools.Pond,
	&pools.Conc,
	&pools.Errgroup,
	&external.OneTBB,
}
