package document

import (
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/limit"
)

// counts is what a text holds, as far as it takes to bound what it costs to parse and validate it.
type counts struct {
	tokens, names, aliases, directives, spreads int
	braces                                      int // the deepest
}

// bounds is what a document may hold that depends on its sender.
type bounds struct{ bytes, tokens int }

var (
	anybody = bounds{limit.DocumentBytes, limit.DocumentTokens}
	trusted = bounds{limit.TrustedBytes, limit.TrustedTokens}
)

// scan refuses a text that holds too much, at a fraction of the cost of parsing it: it looks at each byte once at most, and stops at the
// first limit. What is no GraphQL it leaves to the parser.
func scan(text string, most bounds) *gqlerror.Error {
	if len(text) > most.bytes {
		return unparsable("the document has more than %d bytes", most.bytes)
	}
	var c counts
	depth, arguments := 0, 0 // of braces and brackets, of parentheses
	for i := 0; i < len(text); {
		b := text[i]
		start := i
		i++
		switch {
		case b <= ' ' || b == ',' || b >= 0x80: // a byte order mark, or nothing that GraphQL knows
			continue
		case b == '#':
			i = lineEnd(text, i)
			continue
		case b == '"':
			i = stringEnd(text, start)
		case b == '.':
			i = min(start+3, len(text))
			c.spreads++
		case isName(b):
			for i < len(text) && isName(text[i]) {
				i++
			}
			if arguments == 0 {
				c.names++
			}
		case b == '(':
			arguments++
		case b == ')':
			arguments = max(arguments-1, 0)
		case b == '@':
			c.directives++
		case b == ':' && arguments == 0:
			c.aliases++
		case b == '{', b == '[':
			depth++
			c.braces = max(c.braces, depth)
		case b == '}', b == ']':
			depth--
		}
		c.tokens++
		if err := c.exceeds(most); err != nil {
			return err
		}
	}
	return nil
}

func (c *counts) exceeds(most bounds) *gqlerror.Error {
	switch {
	case c.tokens > most.tokens:
		return unparsable("the document has more than %d tokens", most.tokens)
	case c.directives > limit.Directives:
		return invalid("the document has more than %d directives", limit.Directives)
	case c.aliases > limit.Aliases:
		return invalid("the document has more than %d aliases", limit.Aliases)
	case c.spreads > limit.Spreads:
		return invalid("the document spreads more than %d fragments", limit.Spreads)
	case c.braces > limit.Braces:
		return invalid("the document is nested more than %d deep", limit.Braces)
	case c.names > limit.Names:
		return unparsable("the document has more than %d names", limit.Names)
	}
	return nil
}

// isName says whether a byte is of a name or a number.
func isName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '+'
}

func lineEnd(text string, from int) int {
	if n := strings.IndexAny(text[from:], "\r\n"); n >= 0 {
		return from + n
	}
	return len(text)
}

// stringEnd is where the string ends whose first quote is at from.
func stringEnd(text string, from int) int {
	const block = `"""`
	if strings.HasPrefix(text[from:], block) {
		for i := from + len(block); ; {
			n := strings.Index(text[i:], block)
			if n < 0 {
				return len(text)
			}
			i += n + len(block)
			if text[i-len(block)-1] != '\\' {
				return i
			}
		}
	}
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"', '\n', '\r':
			return i + 1
		}
	}
	return len(text)
}

func invalid(format string, args ...any) *gqlerror.Error {
	err := gqlerror.Errorf(format, args...)
	errcode.Set(err, errcode.ValidationFailed)
	return err
}

func unparsable(format string, args ...any) *gqlerror.Error {
	err := gqlerror.Errorf(format, args...)
	errcode.Set(err, errcode.ParseFailed)
	return err
}
