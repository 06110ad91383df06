import ast

tree = ast.parse(open("src/dotenv/cli.py", encoding="utf-8").read())
options = [x for x in ast.walk(tree) if isinstance(x, ast.Call) and getattr(x.func, "attr", "") == "option"]
quote = next(x for x in options if any(getattr(arg, "value", "") == "--quote" for arg in x.args))
keys = {key.arg: key.value for key in quote.keywords}
assert keys["default"].value == "auto"
text = ast.literal_eval(keys["help"])
assert "auto" in text and "always" not in text, text
choices = [x.value for x in ast.walk(keys["type"]) if isinstance(x, ast.Constant)]
assert choices == ["always", "never", "auto"], choices
