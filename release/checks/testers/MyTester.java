import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A small tester: plain prefixes, the longest rule wins. It knows no wildcards. */
final class MyTester {
  static boolean allows(byte[] file, String agent, String address) {
    URI url = URI.create(address);
    String path = url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
    boolean allow = true;
    boolean run = false;
    boolean mine = false;
    int most = -1;
    for (String line : new String(file, StandardCharsets.UTF_8).split("[\r\n]+")) {
      String[] field = line.split("#", 2)[0].split(":", 2);
      String name = field[0].strip().toLowerCase();
      String value = field.length < 2 ? "" : field[1].strip();
      if (name.equals("user-agent")) {
        mine = (run && mine) || value.equals("*") || value.equalsIgnoreCase(agent);
        run = true;
      } else if (name.equals("allow") || name.equals("disallow")) {
        run = false;
        int length = value.length();
        if (mine && length > 0 && path.startsWith(value)
            && (length > most || (length == most && name.equals("allow")))) {
          most = length;
          allow = name.equals("allow");
        }
      }
    }
    return allow;
  }
}
