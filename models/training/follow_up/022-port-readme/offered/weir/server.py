"""Serves the water levels of the weir as JSON."""

import argparse
import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from weir.levels import latest


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(latest()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9000)
    args = parser.parse_args()
    HTTPServer(("", args.port), Handler).serve_forever()
