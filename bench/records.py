"""Turns a log into JSON as a script would: a regular expression for each kind of record, and json.dumps. Reads stdin."""

import json
import re
import sys

FAILURE = re.compile(
    r"^\[(?P<timestamp>[^ ]+ [^ ]+) (?P<utc_offset>[^\]]+)\]: (?P<runtime_tag>\S+) Error: Failed to load plugin file "
    r"(?P<plugin_file_path>\S+) in (?P<plugin_loader_file_path>\S+) on line (?P<line_number>\d+) "
    r"\((?P<http_method>\S+) (?P<request_target>\S+)\)$"
)
DEPRECATION = re.compile(
    r"^\[(?P<timestamp>[^ ]+ [^ ]+) (?P<timezone_name>[^\]]+)\] (?P<runtime_tag>\S+) Deprecated: .* deprecated in "
    r"(?P<session_file_path>\S+) on line (?P<line_number>\d+)$"
)

for line in sys.stdin:
    match = FAILURE.match(line) or DEPRECATION.match(line)
    if match:
        print(json.dumps(match.groupdict()))
