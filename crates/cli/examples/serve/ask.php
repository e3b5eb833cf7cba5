<?php
// Asks the service about a URL. usage: php ask.php SERVICE URL
[, $service, $url] = $argv;
$context = stream_context_create(['http' => ['timeout' => 130]]);
$body = file_get_contents("$service/v1/check?" . http_build_query(['url' => $url]), false, $context);
// Without an answer nothing may be fetched.
if ($body === false) {
    exit(1);
}
$answer = json_decode($body, true, 64, JSON_THROW_ON_ERROR);
echo $answer['action'], ' ', $answer['wait_ms'] ?? 0, "\n";
