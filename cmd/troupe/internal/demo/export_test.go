package demo

// SetAttempts sets how often a file is tried before it is given up.
func (c *Config) SetAttempts(n int) { c.attempts = n }
