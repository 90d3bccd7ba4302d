"""A kernel of a notebook, and who runs cells in it: a page of a browser, or a program that shows nothing."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from patience import PATIENCE
from places import ROOT


class Page:
    """Runs cells and holds what they show, by name where it has one; ``asks``: whether it is a page of a browser."""

    def __init__(self, connection_file: str, asks: bool = True) -> None:
        self.client = BlockingKernelClient(connection_file=connection_file)
        self.client.load_connection_file()
        self.client.start_channels()
        self.client.wait_for_ready(PATIENCE)
        self._metadata = {"cellId": "a"} if asks else {}
        self.shown: dict[str, str] = {}
        self.changes = 0  # of what was shown before

    def run(self, code: str) -> str:
        """Run a cell; what it has printed."""
        asked = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        return self._tell("execute_request", asked, self._metadata)

    def open(self, target: str) -> str:
        """Open a connection, as the page does once it shows a view; its name."""
        comm = uuid.uuid4().hex
        self._tell("comm_open", {"comm_id": comm, "target_name": target, "data": {}})
        return comm

    def say(self, comm: str, events: list[dict[str, Any]]) -> None:
        """Tell the kernel what has happened in a view."""
        data = {"header": {"msgid": "1", "msgtype": "PATCH-DOC"}, "metadata": {}, "content": {"events": events}}
        self._tell("comm_msg", {"comm_id": comm, "data": {**data, "_buffers": {}}})

    def _tell(self, kind: str, content: dict[str, Any], metadata: dict[str, Any] | None = None) -> str:
        message = self.client.session.msg(kind, content, metadata=metadata)
        self.client.shell_channel.send(message)
        printed = ""
        while True:
            told = self.client.get_iopub_msg(timeout=PATIENCE)
            if told["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            kind, said = told["msg_type"], told["content"]
            assert kind != "error", "\n".join(said["traceback"])
            if kind == "stream":
                printed += said["text"]
            elif kind in ("display_data", "update_display_data", "execute_result"):
                self.changes += kind == "update_display_data"
                data = said["data"]
                name = said.get("transient", {}).get("display_id") or told["header"]["msg_id"]
                self.shown[name] = data.get("application/javascript", "") + data.get("text/html", "")
            elif kind == "status" and said["execution_state"] == "idle":
                return printed


@contextmanager
def kernel(folder: Path) -> Iterator[str]:
    """One that runs for the ``with`` block; the file that says how to come to it."""
    manager = KernelManager(connection_file=str(folder / "kernel.json"))
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    manager.start_kernel(env=os.environ | {"PYTHONPATH": path, "IPYTHONDIR": str(folder)}, cwd=str(folder))
    try:
        yield manager.connection_file
    finally:
        manager.shutdown_kernel(now=True)
