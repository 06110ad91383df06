"""Writing a family tree to files of other programs."""

import csv
import json


def export_json(people, path):
    with open(path, "w", encoding="utf-8") as handle:
        json.dump([vars(person) for person in people], handle, indent=2)


def export_csv(people, path):
    with open(path, "w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter=";")
        writer.writerow(["id", "name", "born", "died"])
        for person in people:
            writer.writerow([person.id, person.name, person.born, person.died])


def export_gedcom(people, path):
    with open(path, "w", encoding="utf-8") as handle:
        handle.write("0 HEAD\n1 CHAR UTF-8\n")
        for person in people:
            handle.write(f"0 @I{person.id}@ INDI\n1 NAME {person.name}\n")
        handle.write("0 TRLR\n")
