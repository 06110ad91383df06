"""Drives `slotwright mcp` with the official Python SDK: arguments PROGRAM FOLDER REVISION.

REVISION is "legacy" for the handshake, "auto" for server/discover. The folder has tool.py.
"""

import asyncio
import os
import pathlib
import sys

from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import ElicitResult

TOOLS = ["edit", "amend", "write", "apply_patch", "undo", "list_edits", "find"]
TASK = "Rename process_item to handle_item everywhere"


async def main(program, folder, revision):
    file = pathlib.Path(folder) / "tool.py"
    before = file.read_text()
    after = before.replace("process_item", "handle_item")
    parameters = StdioServerParameters(
        command=program, args=["mcp", "--root", folder], env=dict(os.environ)
    )
    async with Client(stdio_client(parameters), mode=revision) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        edited = await client.call_tool("edit", {"task": TASK})
        assert not edited.is_error, edited
        assert file.read_text() == before
        token = edited.structured_content["token"]
        written = await client.call_tool("write", {"token": token})
        assert not written.is_error and file.read_text() == after, written
        again = await client.call_tool("write", {"token": token})
        assert again.is_error and "call edit again" in again.content[0].text, again
        undone = await client.call_tool("undo", {})
        assert not undone.is_error and file.read_text() == before, undone
        wrong = await client.call_tool("edit", {"task": TASK, "file": "../x.py"})
        assert wrong.is_error and "leads out" in wrong.content[0].text, wrong
        second = await client.call_tool("edit", {"task": TASK, "file": "tool.py"})
        assert second.structured_content["took"]["load_seconds"] == 0, second
        found = await client.call_tool("find", {"task": TASK})
        assert found.structured_content["files"][0]["path"] == "tool.py", found

    # A person who is asked.
    answers = ["decline", "accept"]

    async def answer(_, params):
        assert params.message.startswith("Change tool.py?"), params
        assert file.read_text() == before
        action = answers.pop(0)
        return ElicitResult(action=action, content={} if action == "accept" else None)

    server = stdio_client(parameters)
    async with Client(server, mode=revision, elicitation_callback=answer) as client:
        edited = await client.call_tool("edit", {"task": TASK})
        token = edited.structured_content["token"]
        declined = await client.call_tool("write", {"token": token})
        assert declined.is_error and "said no" in declined.content[0].text, declined
        assert file.read_text() == before
        written = await client.call_tool("write", {"token": token})
        assert not written.is_error and file.read_text() == after, written
    assert answers == []
    print("all is well")


asyncio.run(main(*sys.argv[1:]))
