using System;

namespace Sauna.Booking;

public sealed record Reservation(string Family, DateOnly Day, TimeOnly Start);
