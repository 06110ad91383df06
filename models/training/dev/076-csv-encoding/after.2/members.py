import csv


def read_members(path):
    members = []
    with open(path, encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f, delimiter=";"):
            if row["left"]:
                continue
            members.append((row["name"], row["email"]))
    return sorted(members)


for name, email in read_members("members.csv"):
    print(f"{name} <{email}>")
