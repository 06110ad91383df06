using System;
using System.Threading;
using System.Threading.Tasks;

namespace Newsletter;

public class Mailer
{
    private readonly ITransport transport;

    public Mailer(ITransport transport)
    {
        this.transport = transport ?? throw new ArgumentNullException(nameof(transport));
    }

    public int Sent { get; private set; }

    public void Send(Message message)
    {
        SendAsync(message, CancellationToken.None).GetAwaiter().GetResult();
    }

    public async Task SendAsync(Message message, CancellationToken cancel)
    {
        await transport.DeliverAsync(message, cancel);
        Sent++;
    }

    [Obsolete("Use Sent instead.")]
    public int Count()
    {
        return Sent;
    }
}
