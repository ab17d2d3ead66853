// Has a letter read and lists the published waiting lists of its specialty. Java 17 or later, no packages:
//   URL=https://… KEY=vk_test_… java ReadLetter.java LETTER_FILE [ADULT_OR_CHILD] [ACTION]
// ADULT_OR_CHILD is what the clinician says if the readers do not agree on the age group.
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import static java.nio.charset.StandardCharsets.UTF_8;

public class ReadLetter {
    static final HttpClient CLIENT = HttpClient.newHttpClient();
    static final int MOST_SECONDS = 20;

    /** Returns the body, or null if it was lost three times. The idempotency key has a letter read once at most. */
    static String call(String path, HttpRequest.Builder request) throws InterruptedException {
        request.uri(URI.create(System.getenv("URL") + path)).timeout(Duration.ofSeconds(MOST_SECONDS));
        request.header("authorization", "Bearer " + System.getenv("KEY"));
        for (int attempt = 1; attempt <= 3; attempt++) {
            try {
                var response = CLIENT.send(request.build(), BodyHandlers.ofString(UTF_8));
                var wait = Integer.parseInt(response.headers().firstValue("retry-after").orElse("1"));
                var mayRetry = response.statusCode() == 429 || response.statusCode() == 503;
                var isFinal = response.headers().firstValue("x-should-retry").equals(Optional.of("false"));
                if (!mayRetry || isFinal || attempt == 3 || wait > MOST_SECONDS) return response.body();
                Thread.sleep(wait * 1000L);
            } catch (IOException lost) {
                System.err.println("attempt " + attempt + ": " + lost);
            }
        }
        return null;
    }

    static void showFailure(Map<String, Object> error) {
        System.out.println(error.get("code") + ": " + error.get("message"));
        for (var found : objects(error.getOrDefault("identifiers", List.of())))
            System.out.println(found.get("shape") + " at " + found.get("start") + " to " + found.get("end"));
    }

    static void showLists(String specialty, String ageGroup) throws InterruptedException {
        var query = "specialty=" + URLEncoder.encode(specialty, UTF_8) + "&ageGroup=" + ageGroup;
        var body = call("/v1/waiting-lists?" + query, HttpRequest.newBuilder());
        if (body == null) {
            System.out.println("The waiting lists cannot be shown.");
            return;
        }
        var answer = object(new Json(body).value());
        if (answer.containsKey("error")) {
            showFailure(object(answer.get("error")));
            return;
        }
        var untold = new LinkedHashSet<Object>((List<?>) answer.get("cannotEstablish"));
        // In the published order, which means nothing. Never sort it.
        for (var list : objects(answer.get("waitingLists"))) {
            var hospital = list.get("hospital") == null ? "Whole country" : list.get("hospital");
            System.out.println(hospital + ": " + list.get("total") + " waiting");
            untold.addAll((List<?>) list.get("cannotEstablish"));
        }
        var version = object(answer.get("datasetVersion"));
        var dates = " Archive date " + version.get("archiveDate") + ", published " + version.get("publishedOn") + ".";
        System.out.println(object(answer.get("source")).get("acknowledgement") + dates);
        for (var sentence : untold) System.out.println("Not told: " + sentence);
    }

    static void readLetter(String text, String fromClinician, String action) throws Exception {
        var request = HttpRequest.newBuilder()
            .header("content-type", "application/json")
            .header("idempotency-key", UUID.randomUUID().toString())
            .POST(BodyPublishers.ofString("{\"text\":" + Json.quote(text) + ",\"action\":" + Json.quote(action) + "}"));
        var body = call("/v1/referral/read", request);
        if (body == null) {
            System.out.println("No answer, which is not a yes. The clinician chooses.");
            return;
        }
        var answer = object(new Json(body).value());
        if (answer.containsKey("error")) {
            showFailure(object(answer.get("error")));
            return;
        }
        // Only live keys get a record. Store it beside the letter.
        if (answer.containsKey("record")) Files.writeString(Path.of("reading.json"), body);
        if (!answer.get("decision").equals("yes")) {
            System.out.println(answer.get("decision") + ": " + answer.get("because"));
            return;
        }
        var specialty = (String) answer.get("specialty");
        var agreed = (String) answer.get("ageGroup");
        System.out.println("yes: " + specialty + ", " + (agreed == null ? "age group not agreed" : agreed));
        var ageGroup = agreed == null ? fromClinician : agreed;
        if (ageGroup == null) System.out.println("Ask the clinician: adult or child?");
        else showLists(specialty, ageGroup);
    }

    public static void main(String[] args) throws Exception {
        var action = args.length > 2 ? args[2] : "identify_specialty";
        readLetter(Files.readString(Path.of(args[0])), args.length > 1 ? args[1] : null, action);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> objects(Object value) {
        return (List<Map<String, Object>>) value;
    }

    /** Reads the service's JSON, because Java's own library cannot. Use your library of JSON in its place. */
    static class Json {
        final String text;
        int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            return switch (next()) {
                case '{' -> {
                    var members = new LinkedHashMap<String, Object>();
                    at++;
                    while (next() != '}') {
                        var name = string();
                        next();
                        at++;
                        members.put(name, value());
                        if (next() == ',') at++;
                    }
                    at++;
                    yield members;
                }
                case '[' -> {
                    var items = new ArrayList<Object>();
                    at++;
                    while (next() != ']') {
                        items.add(value());
                        if (next() == ',') at++;
                    }
                    at++;
                    yield items;
                }
                case '"' -> string();
                default -> {
                    var start = at;
                    while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
                    var word = text.substring(start, at);
                    // Numbers stay as they are written.
                    yield word.equals("null") ? null : word;
                }
            };
        }

        /** Moves to the next character that is not blank, and returns it. */
        char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        String string() {
            var read = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) != '\\') read.append(text.charAt(at));
                else if (text.charAt(++at) != 'u') read.append("\b\f\n\r\t\"\\/".charAt("bfnrt\"\\/".indexOf(text.charAt(at))));
                else {
                    read.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                }
            }
            at++;
            return read.toString();
        }

        static String quote(String text) {
            var quoted = new StringBuilder("\"");
            for (var letter : text.toCharArray()) {
                if (letter >= ' ' && letter != '"' && letter != '\\') quoted.append(letter);
                else quoted.append(String.format("\\u%04x", (int) letter));
            }
            return quoted.append('"').toString();
        }
    }
}
