// One process of the command for many questions: a line of JSON in, a line of JSON out.
//
//	go run ask.go FILE AGENT URL robosieve
//	go run ask.go FILE AGENT URL wasmtime run robosieve.wasm
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Robots is a process that answers, one question after the other.
type Robots struct {
	questions *json.Encoder
	answers   *json.Decoder
}

// Start runs the command: robosieve, or a runtime with the module.
func Start(command ...string) (*Robots, error) {
	process := exec.Command(command[0], append(command[1:], "test", "--ndjson")...)
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	var out io.ReadCloser
	if out, err = process.StdoutPipe(); err != nil {
		return nil, err
	}
	return &Robots{json.NewEncoder(in), json.NewDecoder(out)}, process.Start()
}

// Allowed says whether the agent may fetch the URL by this file. An error closes: nothing is fetched without an answer.
func (robots *Robots) Allowed(file []byte, agent, url string) (bool, error) {
	if file == nil {
		file = []byte{} // No file is null, an empty file is "".
	}
	// Bytes are Base64 in JSON.
	question := map[string]any{"robots_b64": file, "agent": agent, "url": url}
	if err := robots.questions.Encode(question); err != nil {
		return false, err
	}
	var answer struct {
		Allowed *bool
		Error   *struct{ Message string }
	}
	if err := robots.answers.Decode(&answer); err != nil {
		return false, err
	}
	if answer.Error != nil {
		return false, errors.New(answer.Error.Message)
	}
	if answer.Allowed == nil {
		return false, errors.New("no answer")
	}
	return *answer.Allowed, nil
}

func run(arguments []string) error {
	if len(arguments) < 4 {
		return errors.New("usage: go run ask.go FILE AGENT URL COMMAND...")
	}
	// A file that cannot be read is not an empty one, which allows everything.
	file, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	robots, err := Start(arguments[3:]...)
	if err != nil {
		return err
	}
	allowed, err := robots.Allowed(file, arguments[1], arguments[2])
	if err == nil {
		fmt.Println(map[bool]string{true: "allowed", false: "disallowed"}[allowed])
	}
	return err
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
