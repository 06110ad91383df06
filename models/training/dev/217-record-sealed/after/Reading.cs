using System.Text.Json.Serialization;

namespace Greenhouse;

public class Reading
{
    [JsonPropertyName("sensor")]
    public string SensorId { get; init; } = "";

    [JsonPropertyName("taken_at")]
    public DateTimeOffset TakenAt { get; init; }

    [JsonPropertyName("temp_c")]
    public double Celsius { get; init; }

    [JsonPropertyName("humidity")]
    public double HumidityPercent { get; init; }
}
