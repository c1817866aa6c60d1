// Package refusal writes answers that hold nothing but errors, in the shape of a GraphQL response.
package refusal

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Encode is the response of an operation that was not executed.
func Encode(errs gqlerror.List) []byte {
	body, err := json.Marshal(struct {
		Errors gqlerror.List `json:"errors"`
	}{errs})
	if err != nil {
		panic(fmt.Errorf("encode errors: %w", err)) // their extensions are texts and numbers
	}
	return body
}

// Write answers a request that is not executed.
func Write(w http.ResponseWriter, status int, errs ...*gqlerror.Error) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(Encode(errs)) // nobody is left to be told of a failure
}
