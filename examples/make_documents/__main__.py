"""Make the sample documents: each text in `texts/` becomes a PDF, or a plain copy if it has no front matter."""

import os
import shutil
import sys
from pathlib import Path

import manuscript
import publishing

HERE = Path(__file__).resolve().parent


def make_documents(folder: Path) -> None:
    """Write every sample document into `folder`; the same texts always give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((HERE / "texts").glob("*.md")):
        text = source.read_text(encoding="utf-8")
        if manuscript.is_for_print(text):
            publishing.publish(manuscript.parse(text), folder / f"{source.stem}.pdf")
        else:
            shutil.copyfile(source, folder / source.name)


if __name__ == "__main__":
    os.environ.pop("SOURCE_DATE_EPOCH", None)  # reportlab would mix it into the id of each file
    make_documents(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "documents")
