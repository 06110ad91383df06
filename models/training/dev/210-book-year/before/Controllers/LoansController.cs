using Lending.Services;
using Microsoft.AspNetCore.Mvc;

namespace Lending.Controllers;

public record BorrowRequest(int MemberId, int BookId);

[ApiController]
[Route("api/loans")]
public class LoansController : ControllerBase
{
    private readonly LoanService _service;

    public LoansController(LoanService service) => _service = service;

    [HttpGet("{memberId:int}")]
    public IActionResult List(int memberId) => Ok(_service.OpenLoansOf(memberId));

    [HttpPost]
    public IActionResult Borrow(BorrowRequest request)
    {
        try
        {
            var loan = _service.Borrow(request.MemberId, request.BookId, DateTime.UtcNow);
            return Created($"/api/loans/{loan.Id}", loan);
        }
        catch (LoanException e)
        {
            return BadRequest(new { error = e.Message });
        }
    }

    [HttpPost("{id:int}/return")]
    public IActionResult Return(int id)
    {
        var fine = _service.Return(id, DateTime.UtcNow);
        return Ok(new { fine });
    }
}
