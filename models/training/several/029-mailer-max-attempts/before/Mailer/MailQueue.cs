using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Mailer;

public sealed class MailQueue
{
    private readonly ConcurrentQueue<Mail> _waiting = new();
    private readonly ISmtp _smtp;
    private readonly ILogger<MailQueue> _log;
    private readonly MailerOptions _options;

    public MailQueue(ISmtp smtp, ILogger<MailQueue> log, IOptions<MailerOptions> options)
    {
        _smtp = smtp;
        _log = log;
        _options = options.Value;
    }

    public void Add(Mail mail) => _waiting.Enqueue(mail);

    public async Task RunAsync(CancellationToken cancel)
    {
        while (_waiting.TryDequeue(out var mail))
        {
            for (var attempt = 1; attempt <= 5; attempt++)
            {
                if (await _smtp.TrySendAsync(_options.Sender, mail, cancel))
                {
                    break;
                }
                _log.LogWarning("Attempt {Attempt} for {To} failed", attempt, mail.To);
                await Task.Delay(TimeSpan.FromSeconds(attempt), cancel);
            }
        }
    }
}
