// One process of the command for many questions: a line of JSON in, a line of JSON out.
//
//     java Ask.java FILE AGENT URL robosieve
//     java Ask.java FILE AGENT URL wasmtime run robosieve.wasm

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

public final class Ask implements AutoCloseable {
    private final Process process;
    private final Writer questions;
    private final BufferedReader answers;

    /** Starts the command: `robosieve`, or a runtime with the module. */
    Ask(List<String> command) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of("test", "--ndjson"));
        process = new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        questions = process.outputWriter(StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Whether the agent may fetch the URL by this file. An error closes: nothing is fetched without an answer. */
    boolean allowed(byte[] file, String agent, String url) throws IOException {
        String body = Base64.getEncoder().encodeToString(file);
        questions.write("{\"robots_b64\": \"" + body + "\", \"agent\": " + quoted(agent) + ", \"url\": " + quoted(url) + "}\n");
        questions.flush();
        String answer = answers.readLine();
        // A program with a reader of JSON takes the fields. These words are whole in an answer, and in no string of it.
        if (answer != null && answer.contains(",\"allowed\":true,")) {
            return true;
        }
        if (answer != null && answer.contains(",\"allowed\":false,")) {
            return false;
        }
        throw new IOException("no answer: " + answer);
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.chars().forEach(unit -> out.append(String.format("\\u%04x", unit)));
        return out.append('"').toString();
    }

    @Override
    public void close() throws IOException {
        questions.close();
        process.destroy();
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 4) {
            System.err.println("usage: java Ask.java FILE AGENT URL COMMAND...");
            System.exit(2);
        }
        List<String> command = Arrays.asList(arguments).subList(3, arguments.length);
        try (Ask robots = new Ask(command)) {
            byte[] file = Files.readAllBytes(Path.of(arguments[0]));
            System.out.println(robots.allowed(file, arguments[1], arguments[2]) ? "allowed" : "disallowed");
        }
    }
}
