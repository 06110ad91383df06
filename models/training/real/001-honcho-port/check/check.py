import ast

source = open("honcho/command.py", encoding="utf-8").read()
tree = ast.parse(source)
choose = next(x for x in ast.walk(tree) if isinstance(x, ast.FunctionDef) and x.name == "_choose_port")
returned = [x.value for x in ast.walk(choose) if isinstance(x, ast.Return)]
assert any(isinstance(x, ast.Constant) and x.value == 8000 for x in returned), "the port that is chosen"

helps = [
    key.value.value
    for call in ast.walk(tree) if isinstance(call, ast.Call)
    for key in call.keywords if key.arg == "help" and isinstance(key.value, ast.Constant)
]
ports = [text for text in helps if "port number" in text]
assert len(ports) == 2 and all("default: 8000" in text for text in ports), ports
assert "5000" not in source, "5000 is left"
