package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// space is what JSON has between its tokens.
const space = " \t\r\n"

// decode reads a JSON object. What is wrong with it, it tells in words that go after its name; "" is nothing.
func decode(text []byte, into any) string {
	if !utf8.Valid(text) { // encoding/json would replace the broken bytes without a word
		return "is not valid UTF-8"
	}
	if !bytes.HasPrefix(bytes.TrimLeft(text, space), []byte("{")) {
		return "is not a JSON object"
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // a large integer must not pass through a float
	var wrongType *json.UnmarshalTypeError
	switch err := decoder.Decode(into); {
	case errors.As(err, &wrongType):
		return "has the wrong type in its member " + wrongType.Field
	case err != nil, len(bytes.TrimLeft(text[decoder.InputOffset():], space)) > 0:
		return "is not valid JSON"
	}
	return ""
}
