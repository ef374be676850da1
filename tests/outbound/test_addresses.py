"""The zones of network addresses."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from webclient.network.addresses import Zone, zone_of

ZONES = {
    Zone.LOOPBACK: ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"),
    Zone.PRIVATE: ("10.0.0.5", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fc00::1", "64:ff9b::a00:1"),
    Zone.LINK_LOCAL: ("169.254.169.254", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254"),
    Zone.PUBLIC: ("93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"),
    Zone.FORBIDDEN: (
        "0.0.0.0",  # noqa: S104  (nothing listens there)
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "::",
        "ff02::1",
        "2002:a00:1::1",
        "64:ff9b:1::a00:1",
        "::7f00:1",
        "fec0::1",
        "3fff::1",
        "2001:db8::1",
    ),
}


@each_row(("zone", "address"), [(zone, each) for zone, found in ZONES.items() for each in found])
def test_an_address_is_in_its_zone(zone: Zone, address: str) -> None:
    assert zone_of(address) is zone


def test_a_name_has_no_zone() -> None:
    with pytest.raises(ValueError, match="appear"):
        zone_of("localhost")
