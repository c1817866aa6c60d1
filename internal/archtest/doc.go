// Package archtest holds the tests that keep the repository's shape: which
// package may import which, and how long a file may get. It has no code.
package archtest
