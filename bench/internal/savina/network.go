package savina

// Network is a program of several actors that send each other messages of one type, with what they know and do. Its
// subjects give each node an unbounded mailbox, and handle the messages of a node one after the other.
type Network[M any] struct {
	Nodes int
	// Handle handles a message of a node. It sends others with send.
	Handle func(node int, m M, send func(to int, m M))
	// Feed sends the messages that the program begins with.
	Feed func(send func(to int, m M))
	// Done has the result, at the end.
	Done chan int64
}
