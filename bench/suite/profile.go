package suite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"rollcall/bench/process"
)

// profiled takes a processor profile of the server while the contender is measured for the
// first time, which is not counted, if profiles are wanted.
func (r *Run) profiled(c contender, server *process.Child, name string) contender {
	if r.Profiles == "" || server.Profiles == "" {
		return c
	}
	var once sync.Once
	return contender{c.name, func(ctx context.Context) (map[metric]float64, error) {
		var taking sync.WaitGroup
		once.Do(func() {
			taking.Go(func() {
				url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", server.Profiles, max(1, int(r.Sizes.Span.Seconds())))
				if err := fetch(ctx, url, filepath.Join(r.Profiles, name+".cpu")); err != nil {
					fmt.Fprintf(r.Progress, "profile of %s: %v\n", name, err)
				}
			})
		})
		defer taking.Wait()
		return c.measure(ctx)
	}}
}

// heap takes a profile of what a server keeps in memory, if profiles are wanted.
func (r *Run) heap(ctx context.Context, server *process.Child, name string) error {
	if r.Profiles == "" || server.Profiles == "" {
		return nil
	}
	for query, suffix := range map[string]string{"heap?gc=1": ".heap", "heap?debug=1": ".heap.txt", "goroutine?debug=1": ".goroutines.txt"} {
		if err := fetch(ctx, "http://"+server.Profiles+"/debug/pprof/"+query, filepath.Join(r.Profiles, name+suffix)); err != nil {
			return err
		}
	}
	return nil
}

func fetch(ctx context.Context, url, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	file, err := os.Create(path) // #nosec G304 -- the folder is given by who runs it
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, resp.Body); err != nil {
		return err
	}
	return file.Close()
}
