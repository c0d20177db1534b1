"""Starts Ibid from a bundle: the arguments are the folders that its user chose."""

import os
import sys

from server.cli import main

folders = [one for one in sys.argv[1:] if one and not one.startswith("${")]
if apart := [one for one in folders if os.pathsep in one]:
    sys.exit(f"Folders with {os.pathsep!r} in their names cannot be read: {apart[0]}")
if folders:
    os.environ["RAG_DOCUMENTS"] = os.pathsep.join(folders)
sys.argv = ["ibid", "serve"]
main()
