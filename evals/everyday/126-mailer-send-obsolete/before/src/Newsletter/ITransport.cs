using System.Threading;
using System.Threading.Tasks;

namespace Newsletter;

public interface ITransport
{
    Task DeliverAsync(Message message, CancellationToken cancel);
}
