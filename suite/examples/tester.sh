#!/bin/sh
# A small tester in shell and awk: plain prefixes, the longest rule wins. It knows no wildcards.
field() { printf '%s' "$line" | sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }
while IFS= read -r line; do
  allow=$(field file_base64 | base64 -d | tr '\r' '\n' | agent=$(field agent) url=$(field url) awk '
    BEGIN { allow = "true"; path = ENVIRON["url"]; sub(/^[a-z]+:\/\/[^\/]*/, "", path) }
    { sub(/[ \t]*#.*/, ""); at = index($0, ":"); name = tolower(substr($0, 1, at - 1)); value = substr($0, at + 1) }
    { gsub(/^[ \t]+|[ \t]+$/, "", name); gsub(/^[ \t]+|[ \t]+$/, "", value) }
    name == "user-agent" { if (!run) mine = 0; run = 1; if (value == "*" || tolower(value) == tolower(ENVIRON["agent"])) mine = 1 }
    name ~ /^(dis)?allow$/ { run = 0; if (mine && value != "" && index(path, value) == 1 && (length(value) > most ||
      length(value) == most && name == "allow")) { most = length(value); allow = name == "allow" ? "true" : "false" } }
    END { print allow }')
  printf '{"id": "%s", "allow": %s}\n' "$(field id)" "$allow"
done
