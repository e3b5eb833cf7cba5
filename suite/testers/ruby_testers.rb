# The tester in Ruby, webrobots. No arguments. The lines are those of python_testers.py.
require 'json'
require 'webrobots'

$stdout.sync = true
$VERBOSE = nil

def open_robots(agent, robots)
  WebRobots.new(agent, http_get: ->(_) { robots.dup.force_encoding('UTF-8') }, crawl_delay: :ignore)
end

def answer_question(question)
  robots = open_robots(question['agent'], question['file_base64'].unpack1('m'))
  url = question['url']
  answer = { id: question['id'], allow: robots.allowed?(url) ? true : false }
  delay = robots.crawl_delay(url)
  answer[:crawl_delay] = delay.zero? ? nil : delay # it says 0 for none
  answer[:sitemaps] = robots.sitemaps(url).map(&:to_s)
  answer
rescue StandardError, SystemStackError => e
  answer ||= {}
  answer.key?(:allow) ? answer : { id: question['id'], error: "#{e.class}: #{e.message}"[0, 300] }
end

def answer_job(job)
  robots = job['robots_b64'].unpack1('m')
  job['tests'].map do |agent, urls|
    opened = open_robots(agent, robots)
    urls.map do |url|
      opened.allowed?(url) ? '1' : '0'
    rescue StandardError, SystemStackError
      'E'
    end.join
  end
end

$stdin.each_line do |line|
  message = JSON.parse(line)
  puts JSON.generate(message['tests'] ? answer_job(message) : answer_question(message))
end
