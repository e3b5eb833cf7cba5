import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;

/** Asks the service about a URL. A program with a JSON library uses that. usage: java Ask.java SERVICE URL */
public class Ask {
    public static void main(String[] args) throws Exception {
        var query = "/v1/check?url=" + URLEncoder.encode(args[1], StandardCharsets.UTF_8);
        var request = HttpRequest.newBuilder(URI.create(args[0] + query)).timeout(Duration.ofSeconds(130)).build();
        // One client for all requests keeps its connections.
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        // Without an answer nothing may be fetched.
        if (response.statusCode() != 200) throw new IllegalStateException(response.body());
        var action = Pattern.compile("\"action\":\"([a-z-]+)\"").matcher(response.body());
        var wait = Pattern.compile("\"wait_ms\":([0-9]+)").matcher(response.body());
        if (!action.find()) throw new IllegalStateException(response.body());
        System.out.println(action.group(1) + " " + (wait.find() ? wait.group(1) : "0"));
    }
}
