// A small tester: plain prefixes, the longest rule wins. It knows no wildcards.
package mytester

import (
	"net/url"
	"strings"
)

func allows(file []byte, agent, address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	path := parsed.RequestURI()
	allow, most, run, mine := true, -1, false, false
	for _, line := range strings.FieldsFunc(string(file), func(r rune) bool { return r == '\r' || r == '\n' }) {
		line, _, _ = strings.Cut(line, "#")
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch name {
		case "user-agent":
			mine = (run && mine) || value == "*" || strings.EqualFold(value, agent)
			run = true
		case "allow", "disallow":
			run = false
			if mine && value != "" && strings.HasPrefix(path, value) &&
				(len(value) > most || (len(value) == most && name == "allow")) {
				most, allow = len(value), name == "allow"
			}
		}
	}
	return allow
}
