// Testers in Go. Usage: go-testers temoto|grobotstxt. Not tested here: see README.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"

	"github.com/jimsmart/grobotstxt"
	"github.com/temoto/robotstxt"
)

type question struct {
	ID    string `json:"id"`
	File  []byte `json:"file_base64"` // encoding/json decodes base64 into bytes
	Agent string `json:"agent"`
	URL   string `json:"url"`
}

type answer struct {
	ID       string   `json:"id"`
	Allow    *bool    `json:"allow,omitempty"`
	Error    string   `json:"error,omitempty"`
	Delay    *float64 `json:"crawl_delay,omitempty"`
	Sitemaps []string `json:"sitemaps,omitempty"`
}

func temoto(q question) (a answer) {
	robots, err := robotstxt.FromBytes(q.File)
	if err != nil {
		return answer{Error: err.Error()}
	}
	parsed, err := url.Parse(q.URL)
	if err != nil {
		return answer{Error: err.Error()}
	}
	group := robots.FindGroup(q.Agent)
	allow, delay := group.Test(parsed.RequestURI()), group.CrawlDelay.Seconds()
	a = answer{Allow: &allow, Sitemaps: robots.Sitemaps}
	if delay > 0 {
		a.Delay = &delay
	}
	return a
}

func google(q question) answer {
	allow := grobotstxt.AgentAllowed(string(q.File), q.Agent, q.URL)
	return answer{Allow: &allow, Sitemaps: grobotstxt.Sitemaps(string(q.File))}
}

// A panic is an error of the tester, not the end of the run.
func ask(tester func(question) answer, q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{ID: q.ID, Error: fmt.Sprint("panic: ", r)}
		}
	}()
	a = tester(q)
	a.ID = q.ID
	return a
}

func main() {
	testers := map[string]func(question) answer{"temoto": temoto, "grobotstxt": google}
	if len(os.Args) != 2 || testers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: go-testers temoto|grobotstxt")
		os.Exit(2)
	}
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(ask(testers[os.Args[1]], q)); err != nil {
			return
		}
	}
}
