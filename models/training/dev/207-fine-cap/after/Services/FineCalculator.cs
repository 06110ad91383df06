using Lending.Models;

namespace Lending.Services;

public class FineCalculator
{
    private const decimal PerDay = 0.20m;
    private const decimal Maximum = 15.00m;
    private const int GraceDays = 2;

    public decimal For(Loan loan, DateTime now)
    {
        var end = loan.ReturnedAt ?? now;
        var days = (end.Date - loan.DueAt.Date).Days - GraceDays;
        if (days <= 0)
        {
            return 0m;
        }
        return Math.Min(days * PerDay, Maximum);
    }
}
