namespace Newsletter;

public sealed record Message(string To, string Subject, string Body)
{
    public string Preview => Body.Length <= 80 ? Body : Body[..80];
}
