class Chat:
    """The part of the chat client that the polls need."""

    def __init__(self, session, base):
        self._session = session
        self._base = base

    async def post(self, channel, text):
        body = {"channel": channel, "text": text}
        async with self._session.post(f"{self._base}/messages", json=body) as reply:
            reply.raise_for_status()
