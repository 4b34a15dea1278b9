package journal

// Queued returns how many writes wait for a commit.
func Queued(j *Journal) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.queue)
}
