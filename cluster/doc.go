// Package cluster makes an actor system a node of a cluster: refs, asks and monitors reach the actors of all its nodes.
//
//	eng, err := jet.Open(ctx, jet.Config{})
//	node, err := cluster.Join(ctx, sys, eng, cluster.Config{Name: "a"})
//	for e := range node.Events(ctx) {
//		log.Print(e) // A node has joined, left, or is lost.
//	}
//	err = node.Leave(ctx)
package cluster
