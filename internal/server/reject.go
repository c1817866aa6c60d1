package server

import (
	"encoding/json"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// reject answers a request that is not executed, in the shape of a GraphQL response.
func reject(w http.ResponseWriter, status int, errs ...*gqlerror.Error) {
	body, err := json.Marshal(struct {
		Errors gqlerror.List `json:"errors"`
	}{errs})
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // nobody is left to be told of a failure
}
