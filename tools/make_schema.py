#!/usr/bin/env python3
"""make_schema.py IKAT FOLDER: a JSON schema for what each command prints with --json, from what the commands declare
(ik_command.json; src/cli/cli.h describes the notation)."""
import json
import pathlib
import sys

import declarations

KINDS = {"t": "string", "n": "integer", "r": "number", "b": "boolean"}
VERSION = {"const": 1, "description": "of the format: rises when a member goes or means something else"}


class Notation:
    """Reads the notation from front to back."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def take(self, char):
        """Whether this character comes next; then it is passed."""
        there = self.text[self.at:self.at + 1] == char
        self.at += there
        return there

    def until(self, stops):
        begin = self.at
        while self.text[self.at] not in stops:
            self.at += 1
        return self.text[begin:self.at]

    def members(self):
        schema = {"type": "object", "properties": {}, "required": []}
        while True:
            name = self.until("?:")
            if not self.take("?"):
                schema["required"].append(name)
            assert self.take(":") and name not in schema["properties"], name
            schema["properties"][name] = self.kind()
            if not self.take(" "):
                return schema

    def kind(self):
        null = self.take("~")
        if self.take("{"):
            schema = self.members()
            assert self.take("}"), self.text[self.at:]
        elif self.take("["):
            schema = {"type": "array", "items": self.kind()}
            assert self.take("]"), self.text[self.at:]
        else:
            self.at += 1
            schema = {"type": KINDS[self.text[self.at - 1]]}
        if null:
            schema["type"] = [schema["type"], "null"]
        if self.take("'"):
            schema["description"] = self.until("'")
            self.at += 1
        return schema


def schema_of(command):
    """The schema of a command that declares its members."""
    notation = Notation(command["members"])
    schema = notation.members()
    assert notation.at == len(notation.text), notation.text[notation.at:]
    schema["properties"] = {"version": VERSION, **schema["properties"]}
    schema["required"] = ["version", *schema["required"]]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"ikat {command['name']} --json", **schema}


def schemas(ikat):
    """By name of the command."""
    return {c["name"]: schema_of(c) for c in declarations.declared(ikat)["commands"] if c["members"]}


def main(ikat, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas(ikat).items():
        (folder / f"{name}.schema.json").write_text(json.dumps(schema, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
