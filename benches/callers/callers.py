"""Counts how often a small model calls the right tool of `slotwright mcp` with arguments that fit.

    ./x bench callers --model MODEL.gguf

The model gets the tools as an agent gives them to it, and a sentence. Its call goes to the server, in a
folder of its own, in which four edits were written and one is shown: a call is right if it is of the right
tool, says what the sentence says, and is not refused. What slotwright's own model makes of it does not
count. It needs the package xllamacpp (llama.cpp's server).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

FILES = {
    "src/config.py": "import os\n\nMAX_RETRIES = 3\nTIMEOUT = 30\n",
    "src/app.py": "from config import TIMEOUT\n\n\ndef process_item(item):\n    return len(item)\n\n\n"
    "def greet(name):\n    print(f'Hello {name}')\n\n\nlimit = 5\nprocess_item('x')\n",
}
BLOCK = "src/config.py\n<<<<<<< SEARCH\nTIMEOUT = 30\n=======\nTIMEOUT = 60\n>>>>>>> REPLACE"
DIFF = (
    "--- a/src/config.py\n+++ b/src/config.py\n@@ -3,2 +3,2 @@\n MAX_RETRIES = 3\n-TIMEOUT = 30\n"
    "+TIMEOUT = 60"
)

# A sentence, the tool, and what its arguments must have: a text that the value has, or the value.
TASKS = [
    ("Change TIMEOUT from 30 to 60 in src/config.py.", "edit", {"task": "TIMEOUT"}),
    ("Rename process_item to handle_item everywhere in src/app.py.", "edit", {"task": "handle_item"}),
    ("Add import json below import os in src/config.py.", "edit", {"task": "json"}),
    ("In src/app.py, make greet return the text instead of printing it.", "edit", {"task": "return"}),
    ("Give the timeout a minute.", "edit", {"task": "minute"}),
    ("On line 12 of src/app.py, raise the limit to 10.", "edit", {"task": "10"}),
    ("The edit TOKEN is not written yet. Make it 90 instead of 60 there.", "amend",
     {"token": "TOKEN", "task": "90"}),
    ("Which file defines the retries?", "find", {"task": "retries"}),
    ("Where is process_item called?", "find", {"task": "process_item"}),
    ("Find the files about logging, at most 2.", "find", {"task": "logging", "max_files": 2}),
    ("Undo the last edit.", "undo", {}),
    ("Take back what you just wrote, it is wrong.", "undo", {}),
    ("Undo edit number 4.", "undo", {"number": 4}),
    ("What has been written so far?", "list_edits", {}),
    ("Show me the last 3 edits that were written.", "list_edits", {"max_edits": 3}),
    ("The diff of the edit TOKEN is right: write it.", "write", {"token": "TOKEN"}),
    ("Yes, write TOKEN to the file.", "write", {"token": "TOKEN"}),
    ("Write TOKEN. I have looked at its warning unsure, and accept it.", "write",
     {"token": "TOKEN", "accept": "unsure"}),
    (f"Apply this patch:\n{BLOCK}", "apply_patch", {"patch": "TIMEOUT = 60"}),
    (f"Apply this patch, but only show what it would do:\n{DIFF}", "apply_patch",
     {"patch": "TIMEOUT = 60", "dry_run": True}),
]

# What slotwright's own model does with a task that it was given rightly.
MADE_BY_THE_OTHER_MODEL = {"declined", "unsure", "truncated", "not_made", "mechanics"}


class Server:
    """`slotwright mcp` in a folder."""

    def __init__(self, program, folder):
        command = [program, "mcp", "--root", folder, "--model", "bundled"]
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "XDG_STATE_HOME": folder + "/.state"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.n = 0
        client = {"name": "callers", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.instructions = self.ask("initialize", hello)["instructions"]
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def ask(self, method, params):
        self.n += 1
        self.send({"id": self.n, "method": method, "params": params})
        answer = json.loads(self.process.stdout.readline())
        return answer.get("result") or {"isError": True, "content": [{"text": json.dumps(answer)}]}


def call_in(message):
    """The call of a model's message: a tool call, or JSON in its text."""
    for call in message.get("tool_calls") or []:
        return call["function"]["name"], call["function"]["arguments"]
    text = message.get("content") or ""
    start = text.find("{")
    while start >= 0:
        try:
            call, _ = json.JSONDecoder().raw_decode(text[start:])
            if "name" in call:
                return call["name"], call.get("arguments", {})
        except ValueError:
            pass
        start = text.find("{", start + 1)
    return None, None


def has(arguments, expected):
    """Whether arguments, which may be a text, have what is expected."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return False
    for name, value in expected.items():
        given = arguments.get(name)
        if isinstance(value, str):
            right = value in (given if isinstance(given, str) else json.dumps(given))
        else:
            right = str(given).lower() == str(value).lower()
        if not right:
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--slotwright", required=True)
    parser.add_argument("--model", required=True, help="a GGUF file")
    options = parser.parse_args()
    program = options.slotwright
    try:
        import xllamacpp
    except ImportError:
        sys.exit("this python3 has no xllamacpp: pip install xllamacpp, into an environment of its own")

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.n_ctx = 8192
    params.n_parallel = 1
    params.use_jinja = True
    model = xllamacpp.Server(params)

    n_right = 0
    for sentence, tool, expected in TASKS:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            server = Server(program, folder)
            for n in range(5, 9):
                edit = {"old_string": f"limit = {n}", "new_string": f"limit = {n + 1}"}
                server.call("apply_patch", {"patch": {"path": "src/app.py", **edit}})
            edited = server.call("edit", {"task": "Rename greet to welcome everywhere", "file": "src/app.py"})
            token = edited["structuredContent"]["token"]
            sentence = sentence.replace("TOKEN", token)
            expected = {name: token if value == "TOKEN" else value for name, value in expected.items()}
            tools = server.ask("tools/list", {})["tools"]
            system = re.sub(r"in \S+ with", "in the project with", server.instructions)
            asked = {
                "messages": [{"role": "system", "content": system}, {"role": "user", "content": sentence}],
                "tools": [
                    {
                        "type": "function",
                        "function": {
                            "name": tool["name"],
                            "description": tool["description"],
                            "parameters": tool["inputSchema"],
                        },
                    }
                    for tool in tools
                ],
                "temperature": 0,
                "max_tokens": 300,
            }
            message = model.handle_chat_completions(asked)["choices"][0]["message"]
            name, arguments = call_in(message)
            said, fits = "", False
            if name is not None:
                result = server.call(name, arguments)
                said = result["content"][0]["text"]
                kind = ((result.get("structuredContent") or {}).get("error") or {}).get("kind")
                fits = not result["isError"] or kind in MADE_BY_THE_OTHER_MODEL
            right = name == tool and fits and has(arguments, expected)
            n_right += right
            server.process.kill()
            verdict = "right" if right else "WRONG"
            print(verdict, "|", sentence.split("\n")[0], "|", name, arguments, flush=True)
            if not right:
                print("     ", message.get("content"), "|", said.split("\n")[0], flush=True)
    print(f"{n_right} of {len(TASKS)} right")
    os._exit(0)  # the model's threads would go on


main()
