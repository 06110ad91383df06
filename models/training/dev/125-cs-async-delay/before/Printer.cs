using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

public class Printer
{
    private readonly ConcurrentQueue<string> _labels = new();

    public void Enqueue(string label) => _labels.Enqueue(label);

    public async Task Drain(ILabelDevice device, CancellationToken token)
    {
        while (!token.IsCancellationRequested)
        {
            if (_labels.TryDequeue(out var label))
            {
                await device.PrintAsync(label);
                continue;
            }
            Thread.Sleep(500);
        }
    }
}
