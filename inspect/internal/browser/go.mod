module github.com/troupe-go/troupe/inspect/internal/browser

go 1.26.0

require github.com/troupe-go/troupe v0.1.0

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
)
