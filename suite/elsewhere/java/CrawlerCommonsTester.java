// crawler-commons. Not tested here: see README.md.
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import crawlercommons.robots.BaseRobotRules;
import crawlercommons.robots.SimpleRobotRulesParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

public class CrawlerCommonsTester {
    static JsonObject answer(JsonObject question) {
        String url = question.get("url").getAsString();
        String agent = question.get("agent").getAsString().toLowerCase(Locale.ROOT); // it wants names in lower case
        byte[] file = Base64.getDecoder().decode(question.get("file_base64").getAsString());
        JsonObject answer = new JsonObject();
        answer.add("id", question.get("id"));
        try {
            String robots = URI.create(url).resolve("/robots.txt").toString();
            BaseRobotRules rules = new SimpleRobotRulesParser().parseContent(robots, file, "text/plain", List.of(agent));
            answer.addProperty("allow", rules.isAllowed(url));
            long delay = rules.getCrawlDelay();
            if (delay > 0) { // in milliseconds; a negative one means that there is none
                answer.addProperty("crawl_delay", delay / 1000.0);
            }
            answer.add("sitemaps", new Gson().toJsonTree(rules.getSitemaps()));
        } catch (RuntimeException | StackOverflowError error) {
            answer.remove("allow");
            answer.addProperty("error", error.toString());
        }
        return answer;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(answer(JsonParser.parseString(line).getAsJsonObject()) + "\n");
            out.flush();
        }
    }
}
