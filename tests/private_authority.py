"""A private certificate authority, and servers whose certificate it has signed."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from webclient.domain.model import now


class PrivateAuthority:
    """An authority of its own: `ca_file` has its certificate, `tls` is for servers on 127.0.0.1 that it vouches for."""

    def __init__(self, folder: Path) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Private authority")])
        own = self._certificate(self._name, self._key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        usage = dict.fromkeys(
            ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"), False
        ) | {"key_cert_sign": True, "crl_sign": True, "encipher_only": False, "decipher_only": False}
        own = own.add_extension(x509.KeyUsage(**usage), critical=True).add_extension(
            x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False
        )
        self.pem = own.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()
        self.ca_file = folder / "ca.pem"
        # Files of companies have comments, and names in them.
        self.ca_file.write_text(f"# Zertifizierungsstelle Zürich\n{self.pem}", "utf-8")
        self.tls = self._tls(folder)

    def _tls(self, folder: Path) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
        signed = (
            self._certificate(name, key)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path = folder / "server.pem"
        path.write_bytes(signed.public_bytes(Encoding.PEM) + private)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _certificate(self, name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        begin, end = now() - timedelta(days=1), now() + timedelta(days=1)
        return x509.CertificateBuilder(self._name, name, key.public_key(), x509.random_serial_number(), begin, end)


@contextmanager
def answering(authority: PrivateAuthority, document: Callable[[str], Any]) -> Iterator[str]:
    """Serve over HTTPS the JSON that `document` makes for the server's address; yield that address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            body = json.dumps(document(address)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_given: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def finish_request(self, request: Any, client_address: Any) -> None:
            # In the thread of the connection, so that a client that hangs up holds no other one up.
            try:
                encrypted = authority.tls.wrap_socket(request, server_side=True)
            except OSError:
                return
            with encrypted:
                super().finish_request(encrypted, client_address)

    server = Server(("127.0.0.1", 0), Handler)
    address = f"https://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def refusing() -> Iterator[int]:
    """Yield a port of 127.0.0.1 that refuses connections: it is taken, and nothing listens on it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
