import json
import re

source = open("bin/n", encoding="utf-8").read()
assert re.findall(r'^VERSION="(.*)"', source, re.M) == ["v9.2.4"]
package = json.load(open("package.json", encoding="utf-8"))
assert (package["name"], package["version"]) == ("n", "9.2.4")
