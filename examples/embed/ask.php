<?php
// One process of the command for many questions: a line of JSON in, a line of JSON out.
//
//     php ask.php FILE AGENT URL robosieve
//     php ask.php FILE AGENT URL wasmtime run robosieve.wasm

final class Robots
{
    private $process;
    private array $pipes = [];

    /** @param string[] $command The command: `robosieve`, or a runtime with the module. */
    public function __construct(array $command)
    {
        $this->process = proc_open([...$command, 'test', '--ndjson'], [['pipe', 'r'], ['pipe', 'w']], $this->pipes);
        if ($this->process === false) {
            throw new RuntimeException('the command does not start');
        }
    }

    /** Whether the agent may fetch the URL by this file. An error closes: nothing is fetched without an answer. */
    public function allowed(string $file, string $agent, string $url): bool
    {
        $question = ['robots_b64' => base64_encode($file), 'agent' => $agent, 'url' => $url];
        fwrite($this->pipes[0], json_encode($question, JSON_THROW_ON_ERROR) . "\n");
        $line = fgets($this->pipes[1]);
        if ($line === false) {
            throw new RuntimeException('the command ended');
        }
        $answer = json_decode($line, true, 64, JSON_THROW_ON_ERROR);
        if (isset($answer['error'])) {
            throw new RuntimeException($answer['error']['message']);
        }
        return $answer['allowed'];
    }

    public function __destruct()
    {
        array_map('fclose', $this->pipes);
        proc_close($this->process);
    }
}

if ($argc < 5) {
    fwrite(STDERR, "usage: php ask.php FILE AGENT URL COMMAND...\n");
    exit(2);
}
[, $file, $agent, $url] = $argv;
$bytes = @file_get_contents($file);
if ($bytes === false) {
    // A file that could not be read is not an empty one, which allows everything.
    fwrite(STDERR, "$file cannot be read\n");
    exit(2);
}
$robots = new Robots(array_slice($argv, 4));
echo $robots->allowed($bytes, $agent, $url) ? "allowed\n" : "disallowed\n";
