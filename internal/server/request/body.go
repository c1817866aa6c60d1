package request

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/server/limit"
)

const contentType = "application/json"

// readBody reads uncompressed JSON, and how many bytes it has. How long it may take to arrive is the server's to say.
func readBody(w http.ResponseWriter, r *http.Request, params *graphql.RawParams) (size int, rejection *Rejection) {
	if rejection := checkHeader(r.Header); rejection != nil {
		return 0, rejection
	}
	most := int64(MaxBytes(r.Context()))
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0), most)) + bytes.MinRead)
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, most))

	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) && most == limit.Anonymous:
		return 0, needsToken()
	case errors.As(err, &tooLarge):
		return 0, Malformed(http.StatusRequestEntityTooLarge, "the body is too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 0, Malformed(http.StatusRequestTimeout, "the body did not arrive in time")
	case err != nil:
		return 0, Malformed(http.StatusBadRequest, "the body could not be read")
	}
	if bytes.HasPrefix(bytes.TrimLeft(body.Bytes(), space), []byte("[")) {
		return 0, Malformed(http.StatusBadRequest, "batched requests are not supported")
	}
	if message := decode(body.Bytes(), params); message != "" {
		return 0, Malformed(http.StatusBadRequest, "the body "+message)
	}
	return body.Len(), nil
}

func checkHeader(h http.Header) *Rejection {
	if sent := h.Get("Content-Type"); sent != contentType { // nearly all are
		kind, params, err := mime.ParseMediaType(sent)
		if err != nil || kind != contentType {
			return Malformed(http.StatusUnsupportedMediaType, "the content type must be "+contentType)
		}
		if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
			return Malformed(http.StatusUnsupportedMediaType, "the character set must be utf-8")
		}
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return Malformed(http.StatusUnsupportedMediaType, "compressed bodies are not supported")
	}
	return nil
}
