// Has a letter read and lists the published waiting lists of its specialty. .NET 10 or later, no packages:
//   URL=https://… KEY=vk_test_… dotnet run ReadLetter.cs -- LETTER_FILE [ADULT_OR_CHILD] [ACTION]
// ADULT_OR_CHILD is what the clinician says if the readers do not agree on the age group.
#nullable disable
using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;

public static class ReadLetter
{
    const int MostSeconds = 20;
    static readonly string Service = Environment.GetEnvironmentVariable("URL");
    static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(MostSeconds) };

    /// <summary>Returns the body, or null if it was lost three times. The idempotency key has a letter read once at most.</summary>
    static async Task<string> Call(Func<HttpRequestMessage> make)
    {
        for (var attempt = 1; attempt <= 3; attempt++)
        {
            try
            {
                var response = await Client.SendAsync(make());
                var body = await response.Content.ReadAsStringAsync();
                var wait = response.Headers.RetryAfter?.Delta?.TotalSeconds ?? 1;
                var mayRetry = (int)response.StatusCode == 429 || (int)response.StatusCode == 503;
                var isFinal = response.Headers.TryGetValues("x-should-retry", out var said) && said.Contains("false");
                if (!mayRetry || isFinal || attempt == 3 || wait > MostSeconds) return body;
                await Task.Delay(TimeSpan.FromSeconds(wait));
            }
            catch (Exception lost) when (lost is HttpRequestException || lost is TaskCanceledException)
            {
                Console.Error.WriteLine($"attempt {attempt}: {lost.Message}");
            }
        }
        return null;
    }

    static void ShowFailure(JsonElement error)
    {
        Console.WriteLine($"{error.GetProperty("code")}: {error.GetProperty("message")}");
        if (!error.TryGetProperty("identifiers", out var identifiers)) return;
        foreach (var found in identifiers.EnumerateArray())
            Console.WriteLine($"{found.GetProperty("shape")} at {found.GetProperty("start")} to {found.GetProperty("end")}");
    }

    static async Task ShowLists(string specialty, string ageGroup)
    {
        var address = $"{Service}/v1/waiting-lists?specialty={Uri.EscapeDataString(specialty)}&ageGroup={ageGroup}";
        var body = await Call(() => new HttpRequestMessage(HttpMethod.Get, address));
        if (body == null) { Console.WriteLine("The waiting lists cannot be shown."); return; }
        var answer = JsonDocument.Parse(body).RootElement;
        if (answer.TryGetProperty("error", out var error)) { ShowFailure(error); return; }
        var lists = answer.GetProperty("waitingLists").EnumerateArray().ToList();
        // In the published order, which means nothing. Never sort it.
        foreach (var list in lists)
            Console.WriteLine($"{list.GetProperty("hospital").GetString() ?? "Whole country"}: {list.GetProperty("total")} waiting");
        var version = answer.GetProperty("datasetVersion");
        var dates = $"Archive date {version.GetProperty("archiveDate")}, published {version.GetProperty("publishedOn")}.";
        Console.WriteLine($"{answer.GetProperty("source").GetProperty("acknowledgement")} {dates}");
        var untold = new[] { answer }.Concat(lists).SelectMany(one => one.GetProperty("cannotEstablish").EnumerateArray());
        foreach (var sentence in untold.Select(one => one.GetString()).Distinct()) Console.WriteLine($"Not told: {sentence}");
    }

    public static async Task Main(string[] args)
    {
        Client.DefaultRequestHeaders.Add("authorization", "Bearer " + Environment.GetEnvironmentVariable("KEY"));
        var action = args.Length > 2 ? args[2] : "identify_specialty";
        var text = JsonEncodedText.Encode(Encoding.UTF8.GetString(File.ReadAllBytes(args[0])));
        var json = $"{{\"text\":\"{text}\",\"action\":\"{JsonEncodedText.Encode(action)}\"}}";
        var idempotencyKey = Guid.NewGuid().ToString();
        var body = await Call(() => new HttpRequestMessage(HttpMethod.Post, Service + "/v1/referral/read")
        {
            Headers = { { "idempotency-key", idempotencyKey } },
            Content = new StringContent(json, Encoding.UTF8, "application/json"),
        });
        if (body == null) { Console.WriteLine("No answer, which is not a yes. The clinician chooses."); return; }
        var answer = JsonDocument.Parse(body).RootElement;
        if (answer.TryGetProperty("error", out var error)) { ShowFailure(error); return; }
        // Only live keys get a record. Store it beside the letter.
        if (answer.TryGetProperty("record", out _)) File.WriteAllText("reading.json", body);
        var decision = answer.GetProperty("decision").GetString();
        if (decision != "yes") { Console.WriteLine($"{decision}: {answer.GetProperty("because")}"); return; }
        var specialty = answer.GetProperty("specialty").GetString();
        var agreed = answer.GetProperty("ageGroup").GetString();
        Console.WriteLine($"yes: {specialty}, {agreed ?? "age group not agreed"}");
        var ageGroup = agreed ?? (args.Length > 1 ? args[1] : null);
        if (ageGroup == null) Console.WriteLine("Ask the clinician: adult or child?");
        else await ShowLists(specialty, ageGroup);
    }
}
