namespace NightBackup;

/// <summary>How long finished archives stay on the disk.</summary>
public sealed class RetentionOptions
{
    /// <summary>Number of daily archives that are kept.</summary>
    public int Daily { get; init; } = 30;

    /// <summary>Number of monthly archives that are kept.</summary>
    public int Monthly { get; init; } = 12;

    /// <summary>Number of yearly archives that are kept.</summary>
    public int Yearly { get; init; } = 5;

    /// <summary>Free space in percent below which old archives go early.</summary>
    public int MinimumFreePercent { get; init; } = 14;
}
