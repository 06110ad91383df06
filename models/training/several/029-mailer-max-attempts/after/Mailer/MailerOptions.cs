namespace Mailer;

/// <summary>Settings from the section "Mailer".</summary>
public sealed class MailerOptions
{
    public string Host { get; set; } = "localhost";

    public int Port { get; set; } = 25;

    public int MaxAttempts { get; set; } = 5;

    public string Sender { get; set; } = "noreply@example.org";

    public string? User { get; set; }

    public string? Password { get; set; }
}
