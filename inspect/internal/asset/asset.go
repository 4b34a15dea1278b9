// Package asset has the files of the live page. They are served as they are:
// there is no build step, and they fetch nothing from elsewhere.
package asset

import "embed"

// Files are index.html, login.html, and what they refer to.
//
//go:embed *.html *.css *.js *.svg
var Files embed.FS
