// Package bench evaluates side by side: it runs workloads with subjects, round
// by round, each run in a process of its own, and reports the figures, their
// ratios to a baseline, and whether they reach their targets.
//
// Package suite defines the measures, runner makes the runs, and report turns
// them into tables and JSON. The workloads that are jobs, and the
// subjects that need no library, are in jobs. Both the command troupe and the
// side-by-side module in the folder bench use them.
package bench
