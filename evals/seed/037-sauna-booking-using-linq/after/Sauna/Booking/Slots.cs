using System.Linq;
using System;
using System.Collections.Generic;
using System.Globalization;

namespace Sauna.Booking;

public sealed class Slots
{
    private static readonly TimeOnly First = new(16, 0);
    private static readonly TimeOnly Last = new(21, 0);

    private readonly IReadOnlyCollection<Reservation> _reservations;

    public Slots(IReadOnlyCollection<Reservation> reservations)
    {
        _reservations = reservations;
    }

    public IReadOnlyList<TimeOnly> FreeOn(DateOnly day)
    {
        var taken = _reservations
            .Where(r => r.Day == day)
            .Select(r => r.Start)
            .ToHashSet();
        var free = new List<TimeOnly>();
        for (var start = First; start <= Last; start = start.AddHours(1))
        {
            if (!taken.Contains(start))
            {
                free.Add(start);
            }
        }

        return free;
    }

    public IEnumerable<string> Plan(DateOnly day)
    {
        return _reservations
            .Where(r => r.Day == day)
            .OrderBy(r => r.Start)
            .Select(r => $"{r.Start.ToString("HH:mm", CultureInfo.InvariantCulture)} {r.Family}");
    }
}
