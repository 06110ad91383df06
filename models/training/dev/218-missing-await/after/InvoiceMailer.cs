namespace Billing;

public class InvoiceMailer
{
    private readonly IPdfRenderer _renderer;
    private readonly IMailClient _mail;

    public InvoiceMailer(IPdfRenderer renderer, IMailClient mail)
    {
        _renderer = renderer;
        _mail = mail;
    }

    public async Task SendAsync(Invoice invoice, CancellationToken ct)
    {
        var path = Path.Combine(Path.GetTempPath(), $"{invoice.Number}.pdf");
        await _renderer.RenderToFileAsync(invoice, path, ct);

        var message = new MailMessage(invoice.CustomerEmail)
        {
            Subject = $"Invoice {invoice.Number}",
            Body = "Please find your invoice attached.",
        };
        message.Attach(path);
        await _mail.SendAsync(message, ct);
    }
}
