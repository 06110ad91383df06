public class Leaderboard
{
    private readonly Dictionary<string, int> scores = new();

    public void Report(string player, int points)
    {
        scores[player] = scores.GetValueOrDefault(player) + points;
    }

    public IEnumerable<string> Top(int count)
    {
        return scores
            .OrderBy(entry => entry.Value)
            .Take(count)
            .Select(entry => $"{entry.Key}: {entry.Value}");
    }
}
