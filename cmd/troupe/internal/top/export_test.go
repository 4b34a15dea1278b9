package top

import tea "charm.land/bubbletea/v2"

// Draw returns what the model shows.
func Draw(m Model) string { return m.draw() }

// LookMsg is what has the model ask again.
func LookMsg(m Model) tea.Msg { return lookMsg{m.asked} }

// IsAnswer reports whether a message is an answer, IsQuit whether it is the end.
func IsAnswer(msg tea.Msg) bool { _, ok := msg.(answer); return ok }

// IsQuit reports whether a message is the end.
func IsQuit(msg tea.Msg) bool { _, ok := msg.(tea.QuitMsg); return ok }
