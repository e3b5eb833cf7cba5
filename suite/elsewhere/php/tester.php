<?php
// ranvis/robots-txt-processor. Not tested here: see README.md.
require_once __DIR__ . '/vendor/autoload.php';

while (($line = fgets(STDIN)) !== false) {
    $question = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    $answer = ['id' => $question['id']];
    try {
        $tester = new \Ranvis\RobotsTxt\Tester();
        $tester->setSource(base64_decode($question['file_base64']), $question['agent']);
        $path = preg_replace('~^[a-z]+://[^/?#]*|#.*~s', '', $question['url']);
        $answer['allow'] = $tester->isAllowed(str_starts_with($path, '/') ? $path : "/$path");
    } catch (\Throwable $error) {
        unset($answer['allow']);
        $answer['error'] = mb_substr($error->getMessage(), 0, 300) ?: get_class($error);
    }
    echo json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    flush();
}
