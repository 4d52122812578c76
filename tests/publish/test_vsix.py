"""The extension's package by the rules of the Marketplace and Open VSX, without either: `make publish-check`.

vsce checks the manifest, README, and CHANGELOG, and looks for secrets. As long as it knows no repository,
it refuses relative links and pictures, because they lead nowhere on either site, nor on VS Code's own page.
ovsx does not check a package that is built: it reads this one, and uploads it to a registry on this machine.
Of what the sites check themselves, the tests below contain what is known.
"""

import json
import re
import struct
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import pytest

from support.command import run
from support.docs import REPOSITORY, anchors, links

EXTENSION = REPOSITORY / "extension"
BUILT = REPOSITORY / "dist" / "agentfs.vsix"
SCHEMA = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"

# All that is packed. Development files, tests, source maps, and node_modules have no place in it.
EXPECTED = re.compile(
    r"""\[Content_Types\]\.xml | extension\.vsixmanifest | extension/(?:
        package\.json | package\.nls(\.[\w-]+)?\.json | readme\.md | changelog\.md | LICENSE\.txt
        | dist/(extension\.js|LICENSES\.txt) | l10n/[\w.-]+\.json
        | media/[\w-]+\.(png|svg) | media/agent-mode(\.zh-cn)?\.md
        | bundled/run_server\.py | bundled/libs/(?!.*\btests?/)(
            [\w/]+\.(py|pyi|typed) | agentfs_lsp/locale/[\w/]+\.mo | [\w.-]+\.dist-info/[\w./-]+ )
    )""",
    re.VERBOSE,
)
MOST_BYTES = 3 << 20
MOST_FILES = 1000

# Open VSX's ExtensionValidator: the longest values of the manifest's members.
LONGEST = {
    "name": 255,
    "displayName": 255,
    "description": 2048,
    "license": 255,
    "keywords": 255,
    "categories": 255,
}
MOST_TAGS = 30  # the Marketplace's


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packed as for publication, without a warning."""
    path = tmp_path_factory.mktemp("packed") / "agentfs.vsix"
    done = run("npm", "run", "--silent", "pack", "--", "--out", str(path), cwd=EXTENSION, timeout=300)
    if done.returncode != 0 or re.search(r"\bwarn", done.stderr, re.IGNORECASE):
        pytest.fail(f"vsce fails or warns:\n{done.stderr.strip()}", pytrace=False)
    return path


@pytest.fixture(scope="module")
def packed(package: Path) -> Iterator[ZipFile]:
    with ZipFile(package) as archive:
        yield archive


def manifest(packed: ZipFile) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(packed.read("extension/package.json"))
    return found


def texts(packed: ZipFile, name: str = "package.nls.json") -> dict[str, str]:
    found: dict[str, str] = json.loads(packed.read(f"extension/{name}"))
    return found


def contents(archive: ZipFile) -> dict[str, int]:
    return {entry.filename: entry.CRC for entry in archive.infolist()}


def test_what_is_checked_is_what_was_built(packed: ZipFile) -> None:
    with ZipFile(BUILT) as built:
        assert contents(built) == contents(packed), (
            f"{BUILT.name} is not what `npm run pack` makes: build it anew"
        )


def test_nothing_is_packed_but_what_runs_and_what_is_read(packed: ZipFile) -> None:
    assert [name for name in packed.namelist() if not EXPECTED.fullmatch(name)] == []
    assert b"sourceMappingURL" not in packed.read("extension/dist/extension.js")


def test_what_is_packed_of_others_is_packed_with_its_license(packed: ZipFile) -> None:
    bundled = packed.read("extension/dist/LICENSES.txt").decode().split("\n---\n\n")
    named = {text.partition("\n")[0]: text for text in bundled}
    assert {"vscode-languageclient", "vscode-jsonrpc", "semver"} - set(named) == set()
    assert all("copyright" in text.lower() for text in named.values())
    names = packed.namelist()
    libraries = {name.partition(".dist-info/")[0] for name in names if ".dist-info/" in name}
    assert libraries
    for library in libraries:
        assert any(name.startswith(f"{library}.dist-info/licenses/") for name in names), library


def test_size(package: Path, packed: ZipFile, capsys: pytest.CaptureFixture[str]) -> None:
    sizes: dict[str, int] = {}
    for entry in packed.infolist():
        part = "/".join(entry.filename.removeprefix("extension/bundled/libs/").split("/")[:2])
        sizes[part] = sizes.get(part, 0) + entry.compress_size
    size, files = package.stat().st_size, len(packed.namelist())
    with capsys.disabled():
        largest = sorted(sizes.items(), key=lambda part: -part[1])[:8]
        print(f"\n{BUILT.name}: {files} files, {size / 1024:,.0f} KiB")
        print("\n".join(f"{bytes_ / 1024:8,.0f} KiB  {part}" for part, bytes_ in largest))
    assert size <= MOST_BYTES
    assert files <= MOST_FILES


@pytest.mark.parametrize("page", ["readme.md", "changelog.md"])
def test_links_lead_somewhere_where_the_page_is_shown(packed: ZipFile, page: str) -> None:
    text = packed.read(f"extension/{page}").decode()
    assert [link for link in links(text) if not link.startswith(("https://", "#"))] == []
    assert {link[1:] for link in links(text) if link.startswith("#")} - anchors(text) == set()


def test_the_registries_find_what_they_show(packed: ZipFile) -> None:
    listed = ET.fromstring(packed.read("extension.vsixmanifest"))
    shown = {
        asset.attrib["Type"].rpartition("Services.")[2]: asset.attrib["Path"]
        for asset in listed.iter(f"{SCHEMA}Asset")
    }
    assert {"Content.Details", "Content.Changelog", "Content.License", "Icons.Default"} - set(shown) == set()
    assert set(shown.values()) - set(packed.namelist()) == set()
    assert len((listed.findtext(f".//{SCHEMA}Tags") or "").split(",")) <= MOST_TAGS


def test_the_icon_is_a_png_that_is_large_enough(packed: ZipFile) -> None:
    icon = packed.read(f"extension/{manifest(packed)['icon']}")
    assert icon.startswith(b"\x89PNG\r\n\x1a\n")
    assert min(struct.unpack(">II", icon[16:24])) >= 128


def test_the_manifest_has_what_the_registries_show_and_keeps_their_limits(packed: ZipFile) -> None:
    found = manifest(packed)
    assert {"publisher", "version", "engines", "icon", "galleryBanner", *LONGEST} - set(found) == set()
    for name, longest in LONGEST.items():
        values = found[name] if isinstance(found[name], list) else [found[name]]
        for value in values:
            shown = texts(packed)[value.strip("%")] if value.startswith("%") else value
            assert len(shown) <= longest, name
            assert shown.isprintable(), name
    banner = found["galleryBanner"]
    assert re.fullmatch(r"#[0-9a-f]{6}", banner["color"])
    assert banner["theme"] in {"dark", "light"}


def test_every_text_of_the_manifest_is_packed_in_every_language(packed: ZipFile) -> None:
    named = set(re.findall(r'"%([\w.-]+)%"', packed.read("extension/package.json").decode()))
    catalogs = [Path(name).name for name in packed.namelist() if re.match(r"extension/package\.nls\b", name)]
    assert "package.nls.zh-cn.json" in catalogs
    for catalog in catalogs:
        assert set(texts(packed, catalog)) ^ named == set(), catalog
        assert all(texts(packed, catalog).values()), catalog


# --- Open VSX ---------------------------------------------------------------------------------------------


class Registry(BaseHTTPRequestHandler):
    """Takes a package, sent in chunks, and answers as Open VSX does."""

    server: "Taking"

    def do_POST(self) -> None:
        taken = b""
        while size := int(self.rfile.readline(), 16):
            taken += self.rfile.read(size)
            self.rfile.readline()
        self.server.taken[self.path.partition("?")[0]] = taken
        self.send_response(201)
        self.end_headers()
        self.wfile.write(b'{"targetPlatform": "universal"}')

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Taking(HTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Registry)
        self.taken: dict[str, bytes] = {}


def test_ovsx_publishes_it(package: Path) -> None:
    with Taking() as registry:
        Thread(target=registry.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{registry.server_port}"
        ovsx = str(EXTENSION / "node_modules/.bin/ovsx")
        done = run(ovsx, "publish", str(package), "--registryUrl", address, "--pat", "any")
        registry.shutdown()
    assert done.returncode == 0, done.stdout + done.stderr
    assert registry.taken == {"/api/-/publish": package.read_bytes()}


ACCEPTED = """
const { isLicenseOk } = require('ovsx');
const { readVSIXPackage } = require('ovsx/lib/zip');
const [, packed, folder] = process.argv;
readVSIXPackage(packed)
  .then((manifest) => isLicenseOk(folder, manifest))
  .then((ok) => process.exit(ok ? 0 : 1));
"""


def test_ovsx_reads_its_manifest_and_accepts_its_license(
    package: Path, packed: ZipFile, tmp_path: Path
) -> None:
    packed.extractall(tmp_path)
    done = run("node", "-e", ACCEPTED, str(package), str(tmp_path / "extension"), cwd=EXTENSION)
    assert done.returncode == 0, done.stderr
