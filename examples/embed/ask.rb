# One process of the command for many questions: a line of JSON in, a line of JSON out.
#
#     ruby ask.rb FILE AGENT URL robosieve
#     ruby ask.rb FILE AGENT URL wasmtime run robosieve.wasm

require "json"

class Robots
  # `command` starts robosieve, or a runtime with the module.
  def initialize(command)
    @pipe = IO.popen([*command, "test", "--ndjson"], "r+")
  end

  # Whether the agent may fetch the URL by the bytes of this file. An error closes: nothing is fetched without an answer.
  def allowed?(file, agent, url)
    @pipe.puts JSON.generate(robots_b64: [file].pack("m0"), agent: agent, url: url)
    @pipe.flush
    line = @pipe.gets or raise "the command ended"
    answer = JSON.parse(line)
    raise answer["error"]["message"] if answer["error"]
    answer.fetch("allowed")
  end
end

abort "usage: ruby ask.rb FILE AGENT URL COMMAND..." if ARGV.length < 4
file, agent, url, *command = ARGV
puts Robots.new(command).allowed?(File.binread(file), agent, url) ? "allowed" : "disallowed"
