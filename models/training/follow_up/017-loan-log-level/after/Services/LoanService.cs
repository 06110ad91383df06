using Lending.Models;
using Microsoft.Extensions.Logging;

namespace Lending.Services;

public class LoanException : Exception
{
    public LoanException(string message) : base(message) { }
}

public class LoanService
{
    private const int MaxRenewals = 3;

    private readonly List<Loan> _loans = new();
    private readonly Dictionary<int, Book> _books = new();
    private readonly FineCalculator _fines;
    private readonly ILogger<LoanService> _logger;
    private readonly int _loanDays;
    private int _nextId = 1;

    public LoanService(FineCalculator fines, ILogger<LoanService> logger, IConfiguration config)
    {
        _fines = fines;
        _logger = logger;
        _loanDays = config.GetValue<int>("Lending:LoanDays", 21);
    }

    public void AddBook(Book book) => _books[book.Id] = book;

    public IReadOnlyList<Loan> OpenLoansOf(int memberId) =>
        _loans.Where(l => l.MemberId == memberId && l.IsOpen).ToList();

    public int AvailableCopies(int bookId)
    {
        if (!_books.TryGetValue(bookId, out var book))
        {
            return 0;
        }
        var lent = _loans.Count(l => l.BookId == bookId && l.IsOpen);
        return book.Copies - lent;
    }

    public Loan Borrow(int memberId, int bookId, DateTime now)
    {
        if (!_books.TryGetValue(bookId, out var book))
        {
            throw new LoanException($"No book with id {bookId}");
        }
        if (AvailableCopies(bookId) < 1)
        {
            throw new LoanException($"'{book.Title}' is not available");
        }

        var loan = new Loan
        {
            Id = _nextId++,
            BookId = bookId,
            MemberId = memberId,
            BorrowedAt = now,
            DueAt = now.AddDays(_loanDays),
        };
        _loans.Add(loan);
        _logger.LogDebug("Loan {Id} of book {Book}", loan.Id, bookId);
        return loan;
    }

    public void Renew(int loanId, DateTime now)
    {
        var loan = Find(loanId);
        if (loan.Renewals >= MaxRenewals)
        {
            throw new LoanException("No more renewals");
        }
        loan.Renewals++;
        loan.DueAt = loan.DueAt.AddDays(_loanDays);
    }

    public decimal Return(int loanId, DateTime now)
    {
        var loan = Find(loanId);
        loan.ReturnedAt = now;
        var fine = _fines.For(loan, now);
        if (fine > 0)
        {
            _logger.LogInformation("Loan {Id} returned late", loanId);
        }
        return fine;
    }

    private Loan Find(int loanId) =>
        _loans.FirstOrDefault(l => l.Id == loanId && l.IsOpen)
        ?? throw new LoanException($"No open loan {loanId}");
}
