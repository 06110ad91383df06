using System;

namespace Newsletter;

public class SmsSender
{
    private readonly Action<string, string> gateway;

    public SmsSender(Action<string, string> gateway)
    {
        this.gateway = gateway;
    }

    public void Send(string number, string text)
    {
        gateway(number, text);
    }
}
