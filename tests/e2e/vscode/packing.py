"""A .vsix of the companion: plain files, nothing to build."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

COMPANION = Path(__file__).parent / "companion"

_MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
<DisplayName>{displayName}</DisplayName><Description></Description>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/></Properties></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets>
</PackageManifest>"""
_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
<Default Extension=".js" ContentType="application/javascript"/></Types>"""


def pack_companion(out: Path) -> Path:
    """Write the package to ``out``."""
    manifest = json.loads((COMPANION / "package.json").read_text())
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", _TYPES)
        package.writestr(
            "extension.vsixmanifest", _MANIFEST.format(**manifest, engine=manifest["engines"]["vscode"])
        )
        for path in sorted(COMPANION.iterdir()):
            package.write(path, f"extension/{path.name}")
    return out
