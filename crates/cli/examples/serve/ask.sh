#!/bin/sh
# Asks the service about a URL: prints the action, and the wait in milliseconds. usage: ask.sh SERVICE URL
# Without an answer it prints nothing, and nothing may be fetched.
curl -sfG "$1/v1/check" --data-urlencode "url=$2" | jq -r '[.action, .wait_ms // 0] | join(" ")'
