package sqlite

import "context"

// WriterExec runs a statement on the connection that commits.
func (s *Store) WriterExec(query string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.writer.ExecContext(context.Background(), query)
	return err
}

// WriterPragma returns the number that a pragma has on the connection that commits.
func (s *Store) WriterPragma(name string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.writer.QueryRowContext(context.Background(), "PRAGMA "+name).Scan(&n)
	return n, err
}
