package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// admin is the token of somebody who may do everything.
const admin = "dev:admin:admin"

type variables map[string]any

// request is a GraphQL request.
type request struct {
	Query     string    `json:"query"`
	Variables variables `json:"variables,omitempty"`
}

// answer is a GraphQL response.
type answer struct {
	Data   json.RawMessage
	Errors []*refusal
}

// refusal is an error that the API answered.
type refusal struct {
	Message    string
	Extensions struct {
		Code         string
		RetryAfterMs int
	}
}

func (r *refusal) Error() string { return r.Extensions.Code + ": " + r.Message }

// unreachable is the code of a failure to get any answer.
const unreachable = "(no answer)"

// code is an error's code.
func code(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.Extensions.Code
	}
	return unreachable
}

// retryAfter is how long the API asked to wait; 0 if it did not.
func retryAfter(err error) time.Duration {
	if r, ok := errors.AsType[*refusal](err); ok {
		return time.Duration(r.Extensions.RetryAfterMs) * time.Millisecond
	}
	return 0
}

// into decodes the data of an answer, or returns its first error.
func (a answer) into(data any) error {
	if len(a.Errors) > 0 {
		return a.Errors[0]
	}
	return json.Unmarshal(a.Data, data)
}

// post sends an operation to a node. The error is a [*refusal] if the node answered.
func (s *service) post(ctx context.Context, url, token, query string, vars variables, data any) error {
	body, err := json.Marshal(request{query, vars})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var a answer
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		return fmt.Errorf("status %d: %w", res.StatusCode, err)
	}
	return a.into(data)
}
