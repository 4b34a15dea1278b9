// Package word counts the identifiers of a text.
//
// A word is a maximal run of Unicode letters, decimal digits and underscores that does not start with a digit: the
// identifiers of most programming languages and the words of most prose. Bytes that are not UTF-8 separate words.
//
// A [Scanner] finds the words of a text in steps of a chosen length, so that the caller can pause between two steps
// of a long text. A [Table] counts the words of one text, a [Batch] carries a part of such counts to the [Index]
// that owns its words, and an Index adds them up and knows its most frequent words at any time.
package word
