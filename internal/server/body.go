package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/auth"
	"rollcall/internal/server/limit"
)

// bodyTimeout is how long a client may take to send a request's body.
const bodyTimeout = 10 * time.Second

// checkBody lets a POST pass only if its body is one GraphQL request: uncompressed JSON in valid UTF-8, an
// object whose members have the right types. What gqlgen would say of others repeats the whole body. Whatever
// is larger than a caller of its kind may send is not even read to its end.
func checkBody(present graphql.ErrorPresenterFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				if anonymous(r) && len(r.URL.RawQuery) > limit.Anonymous {
					reject(w, r, present, needsToken())
					return
				}
				next.ServeHTTP(w, r)
				return
			}
			body, refused := readBody(w, r)
			if refused != nil {
				reject(w, r, present, refused)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		})
	}
}

func anonymous(r *http.Request) bool {
	_, err := auth.FromContext(r.Context())
	return err != nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *rejection) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, malformed(http.StatusUnsupportedMediaType, "the content type must be application/json")
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, malformed(http.StatusUnsupportedMediaType, "the character set must be utf-8")
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, malformed(http.StatusUnsupportedMediaType, "compressed bodies are not supported")
	}
	most := int64(limit.Request)
	if anonymous(r) {
		most = limit.Anonymous
	}

	// Only until the body is read: a deadline would also end a stream that answers it. One that does not arrive keeps
	// the deadline, since the server wants to read the rest before it answers. Test recorders have none.
	response := http.NewResponseController(w)
	_ = response.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		_ = response.SetReadDeadline(time.Time{})
	}

	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) && most < limit.Request:
		return nil, needsToken()
	case errors.As(err, &tooLarge):
		return nil, malformed(http.StatusRequestEntityTooLarge, "the body is too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, malformed(http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return nil, malformed(http.StatusBadRequest, "the body could not be read")
	case !utf8.Valid(body): // encoding/json would replace the broken bytes without a word
		return nil, malformed(http.StatusBadRequest, "the body is not valid UTF-8")
	}
	return body, checkRequest(body)
}

// checkRequest says what is wrong with a body that should be a GraphQL request; nil is nothing.
func checkRequest(body []byte) *rejection {
	switch trimmed := bytes.TrimLeft(body, " \t\r\n"); {
	case bytes.HasPrefix(trimmed, []byte("[")):
		return malformed(http.StatusBadRequest, "batched requests are not supported")
	case !bytes.HasPrefix(trimmed, []byte("{")):
		return malformed(http.StatusBadRequest, "the body is not a JSON object")
	}
	var wrongType *json.UnmarshalTypeError
	switch err := json.Unmarshal(body, &graphql.RawParams{}); {
	case errors.As(err, &wrongType):
		return malformed(http.StatusBadRequest, "the member "+wrongType.Field+" has the wrong type")
	case err != nil:
		return malformed(http.StatusBadRequest, "the body is not valid JSON")
	}
	return nil
}
