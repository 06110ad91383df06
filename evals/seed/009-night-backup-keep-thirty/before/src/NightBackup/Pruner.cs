using System;
using System.Collections.Generic;
using System.Linq;

namespace NightBackup;

public sealed class Pruner
{
    private readonly RetentionOptions _options;

    public Pruner(RetentionOptions options)
    {
        _options = options;
    }

    public IReadOnlyList<Archive> Outdated(IEnumerable<Archive> archives)
    {
        var newestFirst = archives.OrderByDescending(a => a.TakenAt).ToList();
        var keep = new HashSet<Archive>();

        keep.UnionWith(newestFirst.Take(_options.Daily));
        keep.UnionWith(newestFirst
            .GroupBy(a => (a.TakenAt.Year, a.TakenAt.Month))
            .Take(_options.Monthly)
            .Select(g => g.First()));
        keep.UnionWith(newestFirst
            .GroupBy(a => a.TakenAt.Year)
            .Take(_options.Yearly)
            .Select(g => g.First()));

        return newestFirst.Where(a => !keep.Contains(a)).ToList();
    }
}

public sealed record Archive(string Path, DateTimeOffset TakenAt, long Bytes);
