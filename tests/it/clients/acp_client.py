"""Drives `slotwright acp` with the Python SDK: arguments PROGRAM FOLDER. The folder has tool.py."""

import asyncio
import os
import pathlib
import sys

from acp import PROTOCOL_VERSION, RequestError, spawn_agent_process, text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    ReadTextFileResponse,
    RequestPermissionResponse,
)

TASK = "Rename process_item to handle_item everywhere"


class Editor:
    def __init__(self):
        self.kind = "allow_once"
        self.questions = 0
        self.buffers = {}
        self.updates = []

    def on_connect(self, agent):
        pass

    async def request_permission(self, session_id, tool_call, options, **_):
        self.questions += 1
        for option in options:
            if option.kind == self.kind:
                outcome = AllowedOutcome(option_id=option.option_id, outcome="selected")
                return RequestPermissionResponse(outcome=outcome)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def session_update(self, session_id, update, **_):
        self.updates.append(update)

    async def read_text_file(self, session_id, path, line=None, limit=None, **_):
        if path in self.buffers:
            return ReadTextFileResponse(content=self.buffers[path])
        raise RequestError.resource_not_found(path)

    async def write_text_file(self, session_id, path, content, **_):
        self.buffers[path] = content


async def main(program, folder):
    file = pathlib.Path(folder).resolve() / "tool.py"
    before = file.read_text()
    after = before.replace("process_item", "handle_item")
    editor = Editor()
    async with spawn_agent_process(editor, program, "acp", env=dict(os.environ)) as (agent, _):
        fs = FileSystemCapabilities(read_text_file=True, write_text_file=True)
        hello = await agent.initialize(PROTOCOL_VERSION, ClientCapabilities(fs=fs))
        assert hello.agent_info.name == "slotwright", hello
        session = (await agent.new_session(folder)).session_id

        async def prompt(text, session=session):
            return (await agent.prompt(session, [text_block(text)])).stop_reason

        assert await prompt(TASK) == "end_turn" and file.read_text() == after
        assert any(update.session_update == "tool_call" for update in editor.updates)
        assert await prompt("/undo") == "end_turn" and file.read_text() == before
        editor.kind = "reject_once"
        assert await prompt(TASK) == "end_turn" and file.read_text() == before
        editor.kind = "none of them"
        assert await prompt(TASK) == "cancelled" and file.read_text() == before

        editor.kind = "allow_once"
        editor.buffers[str(file)] = "# not saved\n" + before
        assert await prompt(TASK) == "end_turn"
        assert editor.buffers[str(file)] == "# not saved\n" + after and file.read_text() == before
        assert editor.questions == 4

        opened = await agent.new_session(folder)
        categories = [option.category for option in opened.config_options]
        assert categories == ["model", "mode"], opened
        asked = editor.questions
        await agent.set_config_option("mode", opened.session_id, "write")
        editor.buffers.clear()
        assert await prompt(TASK, opened.session_id) == "end_turn" and file.read_text() == after
        assert editor.questions == asked
        listed = (await agent.list_sessions(cwd=folder)).sessions
        assert opened.session_id in [it.session_id for it in listed], listed
        await agent.resume_session(opened.session_id, folder)
        assert await prompt("/undo", opened.session_id) == "end_turn"
        assert file.read_text() == before

        other = opened.session_id
        running = asyncio.create_task(prompt(TASK, other))
        await asyncio.sleep(0)
        await agent.cancel(other)
        assert await running in ("cancelled", "end_turn")
        assert other != session and file.read_text() in (before, after)
    print("all is well")


asyncio.run(main(*sys.argv[1:]))
