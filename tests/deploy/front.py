"""nginx and Caddy as processes of the tests, with the very files of deploy/ and a certificate of their own."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

import anyio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.deploy.packages import libraries, unpacked
from tests.mcp_servers import ROOT
from tests.program import PATIENCE
from webclient.domain.model import now

NAME = "inbox.example.com"
"""The host in the files of deploy/."""

# As root it would otherwise serve as another user, who cannot look into the folders of tests.
USER = "user root root;" if os.geteuid() == 0 else ""

MAIN = """daemon off; {user} pid {folder}/pid; error_log stderr;
events {{ worker_connections 4096; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxied; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


NGINX_IDLE = """proxy_read_timeout {seconds}s; send_timeout {seconds}s; keepalive_timeout {seconds}s;
        proxy_buffering on; proxy_buffer_size 64k; proxy_buffers 8 256k; proxy_busy_buffers_size 512k;
        gzip on; gzip_proxied any; gzip_min_length 0; gzip_types *;"""

CADDY_IDLE = """transport http {{
            read_timeout {seconds}s
            write_timeout {seconds}s
        }}"""


@dataclass(frozen=True, slots=True)
class Front:
    """A running proxy: its address, without a path, and the TLS context that trusts it."""

    origin: str
    tls: ssl.SSLContext


@asynccontextmanager
async def nginx(
    folder: Path,
    port: int,
    upstream: str,
    *,
    sign_in: str | None = None,
    more: str = "",
    redirects: bool = False,
    idle: int | None = None,
) -> AsyncIterator[Front]:
    """Run nginx with deploy/nginx.conf before the program at `upstream`, a host and port; `more`: another location.

    If it `redirects`, it does so with requests of scripts as well, as a proxy does that cannot tell them apart. With
    `idle` it ends responses that are silent for so many seconds, and has large buffers and compression.
    """
    text = _substituted("nginx.conf", folder, upstream, sign_in).replace("    location / {", f"{more}    location / {{")
    if redirects:
        text, replaced = re.subn(r"if \(\$http_sec_fetch_mode.*?}", "", text, flags=re.DOTALL)
        assert replaced == 1
    if idle is not None:
        assert "proxy_read_timeout 10m;" in text
        text = text.replace("proxy_read_timeout 10m;", NGINX_IDLE.format(seconds=idle))
    text = text.replace("listen 443", f"listen 127.0.0.1:{port}").replace("/var/log/nginx", str(folder))
    (folder / "site.conf").write_text(text, "utf-8")
    (folder / "main.conf").write_text(MAIN.format(folder=folder, user=USER), "utf-8")
    command = [_program("nginx"), "-p", str(folder), "-e", "stderr", "-c", str(folder / "main.conf")]
    async with _running(command, folder, port) as front:
        yield front


@asynccontextmanager
async def caddy(
    folder: Path, port: int, upstream: str, *, sign_in: str | None = None, idle: int | None = None
) -> AsyncIterator[Front]:
    """Run Caddy with deploy/Caddyfile before the program at `upstream`; `idle` is as for nginx."""
    text = _substituted("Caddyfile", folder, upstream, sign_in)
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n"
    if idle is not None:
        passed_on = f"reverse_proxy {upstream} {{\n"
        assert text.count(passed_on) == 1
        text = text.replace(passed_on, f"encode gzip\n{passed_on}{CADDY_IDLE.format(seconds=idle)}\n")
        options += f"\tservers {{\n\t\ttimeouts {{\n\t\t\tidle {idle}s\n\t\t}}\n\t}}\n"
    text = text.replace("\n{\n", f"\n{options}", 1).replace(f"\n{NAME} {{", f"\nhttps://localhost:{port} {{")
    (folder / "Caddyfile").write_text(text, "utf-8")
    command = [_program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    async with _running(command, folder, port) as front:
        yield front


@asynccontextmanager
async def haproxy(folder: Path, port: int, upstream: str) -> AsyncIterator[Front]:
    """Run HAProxy with deploy/haproxy.cfg before two programs at `upstream`."""
    text = _substituted("haproxy.cfg", folder, upstream).replace("bind :443", f"bind 127.0.0.1:{port}")
    (folder / "both.pem").write_bytes(b"".join((folder / name).read_bytes() for name in ("cert.pem", "key.pem")))
    text = text.replace("/etc/ssl/private/inbox.example.com.pem", str(folder / "both.pem"))
    (folder / "haproxy.cfg").write_text(text, "utf-8")
    async with _running([_program("haproxy"), "-db", "-f", str(folder / "haproxy.cfg")], folder, port) as front:
        yield front


_RESERVED: list[socket.socket] = []


def free_port() -> int:
    """Return a port that nothing listens on; the system gives it to nothing else while these tests run."""
    # Bound and not listening: connections are refused, and a server that may reuse addresses, as all do, can listen.
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", 0))
    _RESERVED.append(found)
    port: int = found.getsockname()[1]
    return port


def _substituted(name: str, folder: Path, upstream: str, sign_in: str | None = None) -> str:
    """Return a file of deploy/ with an upstream, or with two that stand in one text with a space between."""
    _write_certificate(folder)
    first, *second = upstream.split()
    text = (ROOT / "deploy" / name).read_text("utf-8").replace("127.0.0.1:8765", first)
    for address in second:
        text = text.replace("#nodes ", "").replace("127.0.0.1:8766", address)
    text = re.sub(r"/etc/ssl/certs/\S+?\.pem", str(folder / "cert.pem"), text)
    text = re.sub(r"/etc/ssl/private/\S+?\.key", str(folder / "key.pem"), text)
    if sign_in:
        text = text.replace("#sign-in ", "").replace("127.0.0.1:4180", sign_in)
    return text


def _program(name: str) -> str:
    found = unpacked(name)
    assert found, f"{name} is missing; `make test` unpacks it from the system's packages"
    return found


@asynccontextmanager
async def _running(command: list[str], folder: Path, port: int) -> AsyncIterator[Front]:
    with (folder / "output").open("w", encoding="utf-8") as output:
        environment = (
            os.environ
            | libraries()
            | {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "HOME": str(folder)}
        )
        async with await anyio.open_process(
            command, stdin=None, stdout=output, stderr=output, env=environment
        ) as process:
            try:
                async with asyncio.timeout(PATIENCE):
                    while not await _listens(port):
                        assert process.returncode is None, (folder / "output").read_text("utf-8")
                tls = ssl.create_default_context(cafile=str(folder / "cert.pem"))
                yield Front(f"https://localhost:{port}", tls)
            finally:
                if process.returncode is None:
                    process.terminate()
                # Also while pages are open.
                async with asyncio.timeout(PATIENCE):
                    await process.wait()


async def _listens(port: int) -> bool:
    try:
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        await asyncio.sleep(0.02)
        return False
    writer.close()
    return True


def _write_certificate(folder: Path) -> None:
    if (folder / "key.pem").exists():
        # A proxy that is started again has the certificate of before.
        return
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now() - timedelta(days=1))
        .not_valid_after(now() + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(private)
