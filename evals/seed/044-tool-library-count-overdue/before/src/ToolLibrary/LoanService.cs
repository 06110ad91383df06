using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Logging;

namespace ToolLibrary;

public enum LoanOutcome
{
    Ok,
    UnknownTool,
    UnknownMember,
    ToolIsOut,
    ToolIsBroken,
    TooManyLoans,
    MemberOwesMoney,
    NeedsTraining,
}

public sealed record LoanResult(LoanOutcome Outcome, Loan? Loan = null)
{
    public bool Succeeded => Outcome == LoanOutcome.Ok;
}

public sealed record ReturnResult(int DaysLate, decimal Fee, bool NextIsWaiting);

public sealed class LoanRules
{
    public int MaxLoans { get; init; } = 5;

    public int NormalDays { get; init; } = 7;

    public int HeavyDays { get; init; } = 3;

    public int MaxExtensions { get; init; } = 2;

    public decimal FeePerDay { get; init; } = 0.50m;

    public decimal FeeLimit { get; init; } = 20m;

    public int GraceDays { get; init; } = 1;
}

public sealed class LoanService
{
    private readonly ToolContext _db;
    private readonly LoanRules _rules;
    private readonly TimeProvider _clock;
    private readonly IMailer _mailer;
    private readonly ILogger<LoanService> _log;

    public LoanService(
        ToolContext db,
        LoanRules rules,
        TimeProvider clock,
        IMailer mailer,
        ILogger<LoanService> log)
    {
        _db = db;
        _rules = rules;
        _clock = clock;
        _mailer = mailer;
        _log = log;
    }

    private DateOnly Today => DateOnly.FromDateTime(_clock.GetLocalNow().DateTime);

    public async Task<LoanResult> LendAsync(string toolCode, int memberNumber, CancellationToken token = default)
    {
        var tool = await _db.Tools.SingleOrDefaultAsync(t => t.Code == toolCode, token);
        if (tool is null)
        {
            return new LoanResult(LoanOutcome.UnknownTool);
        }

        var member = await _db.Members
            .Include(m => m.Trainings)
            .SingleOrDefaultAsync(m => m.Number == memberNumber, token);
        if (member is null)
        {
            return new LoanResult(LoanOutcome.UnknownMember);
        }

        var obstacle = await FindObstacleAsync(tool, member, token);
        if (obstacle != LoanOutcome.Ok)
        {
            _log.LogInformation("{Tool} not lent to {Member}: {Reason}", toolCode, memberNumber, obstacle);
            return new LoanResult(obstacle);
        }

        var loan = new Loan
        {
            Tool = tool,
            Member = member,
            LentOn = Today,
            DueOn = DueDate(tool, Today),
        };
        _db.Loans.Add(loan);
        await RemoveFromWaitingListAsync(tool, member, token);
        await _db.SaveChangesAsync(token);
        return new LoanResult(LoanOutcome.Ok, loan);
    }

    private async Task<LoanOutcome> FindObstacleAsync(Tool tool, Member member, CancellationToken token)
    {
        if (tool.IsBroken)
        {
            return LoanOutcome.ToolIsBroken;
        }

        if (await _db.Loans.AnyAsync(l => l.Tool == tool && l.ReturnedOn == null, token))
        {
            return LoanOutcome.ToolIsOut;
        }

        if (member.Balance < 0)
        {
            return LoanOutcome.MemberOwesMoney;
        }

        if (tool.Training is not null && member.Trainings.All(t => t.Name != tool.Training))
        {
            return LoanOutcome.NeedsTraining;
        }

        var open = await CountOpenAsync(member.Number, token);
        return open >= _rules.MaxLoans ? LoanOutcome.TooManyLoans : LoanOutcome.Ok;
    }

    public async Task<ReturnResult?> ReturnAsync(string toolCode, bool isBroken, CancellationToken token = default)
    {
        var loan = await _db.Loans
            .Include(l => l.Tool)
            .Include(l => l.Member)
            .SingleOrDefaultAsync(l => l.Tool.Code == toolCode && l.ReturnedOn == null, token);
        if (loan is null)
        {
            return null;
        }

        loan.ReturnedOn = Today;
        loan.Tool.IsBroken = isBroken;

        var late = DaysLate(loan, Today);
        var fee = Fee(late);
        loan.Member.Balance -= fee;

        var next = isBroken ? null : await FirstWaitingAsync(loan.Tool, token);
        await _db.SaveChangesAsync(token);

        if (next is not null)
        {
            await _mailer.SendAsync(
                next.Email,
                $"{loan.Tool.Name} is back",
                $"Hello {next.FirstName}, we keep it for you until the day after tomorrow.",
                token);
        }

        return new ReturnResult(late, fee, next is not null);
    }

    public async Task<DateOnly?> ExtendAsync(int loanId, CancellationToken token = default)
    {
        var loan = await _db.Loans
            .Include(l => l.Tool)
            .SingleOrDefaultAsync(l => l.Id == loanId && l.ReturnedOn == null, token);
        if (loan is null || loan.Extensions >= _rules.MaxExtensions)
        {
            return null;
        }

        if (await FirstWaitingAsync(loan.Tool, token) is not null)
        {
            return null;
        }

        loan.Extensions++;
        loan.DueOn = DueDate(loan.Tool, loan.DueOn < Today ? Today : loan.DueOn);
        await _db.SaveChangesAsync(token);
        return loan.DueOn;
    }

    public async Task<int> CountOpenAsync(int memberNumber, CancellationToken token = default)
    {
        return await _db.Loans
            .Where(l => l.Member.Number == memberNumber && l.ReturnedOn == null)
            .CountAsync(token);
    }

    public int CountOverdueAsync(CancellationToken token = default)
    {
        var limit = Today.AddDays(-_rules.GraceDays);
        return await _db.Loans
            .Where(l => l.ReturnedOn == null && l.DueOn < limit)
            .CountAsync(token);
    }

    public int CountOut(IEnumerable<Loan> loans)
    {
        return loans.Count(l => l.ReturnedOn is null);
    }

    public async Task<IReadOnlyList<Loan>> OverdueAsync(CancellationToken token = default)
    {
        var limit = Today.AddDays(-_rules.GraceDays);
        return await _db.Loans
            .Include(l => l.Tool)
            .Include(l => l.Member)
            .Where(l => l.ReturnedOn == null && l.DueOn < limit)
            .OrderBy(l => l.DueOn)
            .ToListAsync(token);
    }

    public async Task RemindAsync(CancellationToken token = default)
    {
        var byMember = (await OverdueAsync(token)).GroupBy(l => l.Member);
        foreach (var group in byMember)
        {
            var lines = group.Select(l => $"- {l.Tool.Name}, due on {l.DueOn:d MMMM}");
            var text = $"Hello {group.Key.FirstName},\n\nothers are waiting for these:\n\n{string.Join('\n', lines)}\n";
            try
            {
                await _mailer.SendAsync(group.Key.Email, "Please bring back our tools", text, token);
            }
            catch (MailException e)
            {
                _log.LogWarning(e, "no reminder for member {Member}", group.Key.Number);
            }
        }
    }

    public async Task<int> JoinWaitingListAsync(string toolCode, int memberNumber, CancellationToken token = default)
    {
        var tool = await _db.Tools.SingleAsync(t => t.Code == toolCode, token);
        var member = await _db.Members.SingleAsync(m => m.Number == memberNumber, token);
        var waiting = await _db.Waiting
            .Where(w => w.Tool == tool)
            .OrderBy(w => w.Since)
            .ToListAsync(token);

        var place = waiting.FindIndex(w => w.Member == member);
        if (place >= 0)
        {
            return place + 1;
        }

        _db.Waiting.Add(new WaitingEntry { Tool = tool, Member = member, Since = _clock.GetUtcNow() });
        await _db.SaveChangesAsync(token);
        return waiting.Count + 1;
    }

    private async Task RemoveFromWaitingListAsync(Tool tool, Member member, CancellationToken token)
    {
        var entries = await _db.Waiting
            .Where(w => w.Tool == tool && w.Member == member)
            .ToListAsync(token);
        _db.Waiting.RemoveRange(entries);
    }

    private async Task<Member?> FirstWaitingAsync(Tool tool, CancellationToken token)
    {
        return await _db.Waiting
            .Where(w => w.Tool == tool)
            .OrderBy(w => w.Since)
            .Select(w => w.Member)
            .FirstOrDefaultAsync(token);
    }

    private DateOnly DueDate(Tool tool, DateOnly from)
    {
        var due = from.AddDays(tool.IsHeavy ? _rules.HeavyDays : _rules.NormalDays);

        // We are closed on Sundays and Mondays.
        while (due.DayOfWeek is DayOfWeek.Sunday or DayOfWeek.Monday)
        {
            due = due.AddDays(1);
        }

        return due;
    }

    private int DaysLate(Loan loan, DateOnly today)
    {
        var days = today.DayNumber - loan.DueOn.DayNumber;
        return days <= _rules.GraceDays ? 0 : days;
    }

    private decimal Fee(int daysLate)
    {
        return Math.Min(daysLate * _rules.FeePerDay, _rules.FeeLimit);
    }

    public async Task<IReadOnlyDictionary<string, int>> FavouritesAsync(int count, CancellationToken token = default)
    {
        var since = Today.AddYears(-1);
        var rows = await _db.Loans
            .Where(l => l.LentOn >= since)
            .GroupBy(l => l.Tool.Name)
            .Select(g => new { Name = g.Key, Loans = g.Count() })
            .OrderByDescending(r => r.Loans)
            .Take(count)
            .ToListAsync(token);
        return rows.ToDictionary(r => r.Name, r => r.Loans);
    }
}
