package strand

// Borrows reports whether the connection holds a buffer.
func (c *Conn) Borrows() bool { return c.buffer != nil }
