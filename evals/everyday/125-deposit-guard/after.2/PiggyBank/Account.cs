using System;
using System.Collections.Generic;

namespace PiggyBank;

public sealed class Account
{
    private readonly List<Entry> entries = new();

    public Account(string owner, decimal overdraft = 0)
    {
        Owner = owner;
        Overdraft = overdraft;
    }

    public string Owner { get; }

    public decimal Overdraft { get; }

    public decimal Balance { get; private set; }

    public bool Closed { get; private set; }

    public IReadOnlyList<Entry> Entries => entries;

    public bool TryWithdraw(decimal amount, string text)
    {
        if (amount <= 0)
        {
            return false;
        }
        if (Closed || Balance + Overdraft < amount)
        {
            return false;
        }
        Book(-amount, text);
        return true;
    }

    public bool TryDeposit(decimal amount, string text)
    {
        if (amount <= 0)
        {
            return false;
        }

        if (Closed)
        {
            return false;
        }
        Book(amount, text);
        return true;
    }

    public bool TryTransfer(Account other, decimal amount)
    {
        if (other.Closed || !TryWithdraw(amount, $"to {other.Owner}"))
        {
            return false;
        }
        return other.TryDeposit(amount, $"from {Owner}");
    }

    public bool TryClose()
    {
        if (Balance != 0)
        {
            return false;
        }
        Closed = true;
        return true;
    }

    private void Book(decimal amount, string text)
    {
        Balance += amount;
        entries.Add(new Entry(DateTime.UtcNow, amount, text));
    }
}

public sealed record Entry(DateTime Time, decimal Amount, string Text);
