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

	"rollcall/internal/presence"
)

const (
	// bodyLimit is the size of the largest request body, in bytes: 1,000 heartbeats with long ids fit.
	bodyLimit = 1 << 20
	// bodyTimeout is how long a client may take to send it.
	bodyTimeout = 10 * time.Second
)

// refusal is why a body is not executed, and the HTTP status that says so.
type refusal struct {
	status  int
	message string
}

// checkBody lets a POST pass only if its body is one GraphQL request: uncompressed JSON in valid UTF-8, an
// object whose members have the right types. What gqlgen would say of others repeats the whole body.
func checkBody(present graphql.ErrorPresenterFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				next.ServeHTTP(w, r)
				return
			}
			body, refused := readBody(w, r)
			if refused != nil {
				reject(w, refused.status, present(r.Context(), presence.Invalid("%s", refused.message)))
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		})
	}
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, &refusal{http.StatusUnsupportedMediaType, "the content type must be application/json"}
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, &refusal{http.StatusUnsupportedMediaType, "the character set must be utf-8"}
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, &refusal{http.StatusUnsupportedMediaType, "compressed bodies are not supported"}
	}

	// Only while the body is read: a deadline would also end a stream that answers it. Test recorders have none.
	response := http.NewResponseController(w)
	_ = response.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	_ = response.SetReadDeadline(time.Time{})

	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the body is too large"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &refusal{http.StatusRequestTimeout, "the body did not arrive in time"}
	case err != nil:
		return nil, &refusal{http.StatusBadRequest, "the body could not be read"}
	case !utf8.Valid(body): // encoding/json would replace the broken bytes without a word
		return nil, &refusal{http.StatusBadRequest, "the body is not valid UTF-8"}
	}
	return body, checkRequest(body)
}

// checkRequest says what is wrong with a body that should be a GraphQL request; nil is nothing.
func checkRequest(body []byte) *refusal {
	switch trimmed := bytes.TrimLeft(body, " \t\r\n"); {
	case bytes.HasPrefix(trimmed, []byte("[")):
		return &refusal{http.StatusBadRequest, "batched requests are not supported"}
	case !bytes.HasPrefix(trimmed, []byte("{")):
		return &refusal{http.StatusBadRequest, "the body is not a JSON object"}
	}
	var wrongType *json.UnmarshalTypeError
	switch err := json.Unmarshal(body, &graphql.RawParams{}); {
	case errors.As(err, &wrongType):
		return &refusal{http.StatusBadRequest, "the member " + wrongType.Field + " has the wrong type"}
	case err != nil:
		return &refusal{http.StatusBadRequest, "the body is not valid JSON"}
	}
	return nil
}
