"""Packages come through uv with pip's indexes and certificates, and through pip where uv cannot."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from scripts import packages
from scripts.packages import pip_configuration, uv_variables
from tests.scripts import calls, program

UV = "-m uv pip install --quiet --python there/python --editable ."
PIP = "-m pip --python there/python install -qq --disable-pip-version-check --editable ."


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str = "exit 0") -> list[str]:
    """Install with a Python that notes its calls, and return those that install."""
    python = program(folder, "python", script)
    monkeypatch.setattr(sys, "executable", str(python))
    with suppress(SystemExit):  # with the code of pip
        packages.main("the program", "there/python", ["--editable", "."])
    return [line.removeprefix("python ") for line in calls(folder) if "config list" not in line]


def test_uv_installs_where_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: True)
    assert installed(tmp_path, monkeypatch) == [UV]


def test_pip_installs_where_uv_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: True)
    fails = 'case "$2" in uv) echo "no such index" >&2; exit 2;; esac'
    assert installed(tmp_path, monkeypatch, fails) == [UV, PIP]
    assert "no such index" in capsys.readouterr().out


def test_pip_installs_where_uv_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: None)
    assert installed(tmp_path, monkeypatch) == [PIP]


def test_uv_keeps_to_the_constraints_of_pips_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: True)
    listed = 'case "$*" in *config*) echo "global.constraint=\'/etc/one.txt /etc/two.txt\'";; esac'
    beside = " --constraint /etc/one.txt --constraint /etc/two.txt"
    assert installed(tmp_path, monkeypatch, listed) == [UV + beside]


def test_pip_installs_where_its_options_are_beyond_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: True)
    listed = 'case "$*" in *config*) echo "global.client-cert=\'/etc/me.pem\'";; esac'
    assert installed(tmp_path, monkeypatch, listed) == [PIP]


def test_a_failure_of_both_is_the_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: True)
    monkeypatch.setattr(sys, "executable", str(program(tmp_path, "python", "exit 7")))
    with pytest.raises(SystemExit) as end:
        packages.main("the program", "there/python", [])
    assert end.value.code == 7


def test_the_configuration_of_pip_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://index.example/simple\n[install]\nextra-index-url =\n  a://b\n  c://d\n",
        "utf-8",
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    monkeypatch.setenv("PIP_CERT", "/etc/ca.pem")
    found = pip_configuration()
    assert found["index-url"] == "https://index.example/simple"
    assert found["extra-index-url"].split() == ["a://b", "c://d"]
    assert found["cert"] == "/etc/ca.pem"


def test_indexes_and_certificates_are_passed_on() -> None:
    configuration = {
        "index-url": "https://index.example/simple",
        "extra-index-url": "\nhttps://one.example\nhttps://two.example",
        "find-links": "/wheels /more",
        "cert": "/etc/ca.pem",
        "timeout": "180",
    }
    assert uv_variables(configuration) == {
        "UV_DEFAULT_INDEX": "https://index.example/simple",
        "UV_INDEX": "https://one.example https://two.example",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/wheels,/more",
        "SSL_CERT_FILE": "/etc/ca.pem",
    }


@pytest.mark.parametrize("option", ["trusted-host", "client-cert", "no-index", "an-option-to-come"])
def test_an_option_that_uv_does_not_know_is_left_to_pip(option: str) -> None:
    assert uv_variables({"index-url": "https://index.example/simple", option: "1"}) is None
