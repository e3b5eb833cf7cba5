# The tester in Perl, WWW::RobotRules. No arguments.
#
# Two kinds of lines are answered, one line each:
#   {"id": "...", "file_base64": "...", "agent": "...", "url": "..."}  ->  {"id": "...", "allow": true}
#   {"robots_b64": "...", "tests": [["agent", ["url", ...]], ...]}      ->  ["0101", ...]
# The second one is for many URLs: a letter per URL, 1 allowed, 0 disallowed, E error.
use strict;
use warnings;
use JSON::PP;        # both of Perl's core
use MIME::Base64;
use WWW::RobotRules;

$| = 1;
local $SIG{__WARN__} = sub { };

# The file of the site of a URL.
sub rules {
    my ($agent, $robots, $url) = @_;
    my ($site) = $url =~ m{^([a-z]+://[^/?#]*)};
    my $rules = WWW::RobotRules->new($agent);
    $rules->parse("$site/robots.txt", $robots);
    return $rules;
}

sub answer_question {
    my ($question) = @_;
    my $id  = $question->{id};
    my $yes = eval { rules($question->{agent}, decode_base64($question->{file_base64}), $question->{url})->allowed($question->{url}) };
    return { id => $id, error => substr("$@", 0, 300) || 'no answer' } if !defined $yes;
    # It answers -1 for a file that it has not seen.
    return { id => $id, allow => $yes && $yes > 0 ? JSON::PP::true : JSON::PP::false };
}

sub answer_job {
    my ($job) = @_;
    my $robots = decode_base64($job->{robots_b64});
    my @answers;
    for my $test (@{ $job->{tests} }) {
        my ($agent, $urls) = @$test;
        my $rules   = eval { rules($agent, $robots, 'https://example.com/') };
        my $letters = '';
        for my $url (@$urls) {
            my $yes = eval { $rules->allowed($url) };
            $letters .= !defined $yes ? 'E' : $yes ? '1' : '0';
        }
        push @answers, $letters;
    }
    return \@answers;
}

while (my $line = <STDIN>) {
    my $message = decode_json($line);
    print encode_json($message->{tests} ? answer_job($message) : answer_question($message)), "\n";
}
